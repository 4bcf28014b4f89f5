import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsInt } from 'class-validator';
import { Option } from './option';
import { envPrefix, loadServiceConfig } from './service-config';

class DeskConfig {
  @Option({ default: 1, describe: 'Drawers.' })
  @IsInt()
  drawers: number;

  @Option({ default: 2, describe: 'Legs.' })
  @IsInt()
  legs: number;
}

describe('loadServiceConfig', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("begins every variable with the service's name", () => {
    expect(envPrefix('compute-api')).toBe('FRACTUS_COMPUTE_API_');
    const config = loadServiceConfig(DeskConfig, 'front-desk', { FRACTUS_FRONT_DESK_DRAWERS: '3', DRAWERS: '9' });
    expect({ ...config }).toEqual({ drawers: 3, legs: 2 });
  });

  it('reads the file that the variable names; the environment wins', () => {
    const file = join(folder, 'desk.yaml');
    writeFileSync(file, 'drawers: 5\nlegs: 6\n');
    const config = loadServiceConfig(DeskConfig, 'desk', { FRACTUS_DESK_CONFIG: file, FRACTUS_DESK_LEGS: '7' });
    expect({ ...config }).toEqual({ drawers: 5, legs: 7 });
  });

  it("takes a variable without the service's name where the service sets none of its own", () => {
    const env = { FRACTUS_DRAWERS: '4', FRACTUS_LEGS: '5', FRACTUS_DESK_LEGS: '6' };
    expect({ ...loadServiceConfig(DeskConfig, 'desk', env) }).toEqual({ drawers: 4, legs: 6 });
    expect(() => loadServiceConfig(DeskConfig, 'desk', { FRACTUS_LEGS: 'four' })).toThrow('FRACTUS_LEGS: "four"');
  });
});
