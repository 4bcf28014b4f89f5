import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionError, parseOptions } from './options';
import { StateDir } from './state-dir';

describe('the state folder', () => {
  let parent: string;
  beforeEach(() => void (parent = mkdtempSync(join(tmpdir(), 'fractus-state-'))));
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('is made with the folders above it, and held by one cloud at a time', () => {
    const path = join(parent, 'a', 'b');
    const state = StateDir.open(path, false);
    expect(() => StateDir.open(path, false)).toThrow('a cloud is running in');
    state.release();
    StateDir.open(path, false).release();
  });

  it('forgets on a reset what a cloud wrote, and the passwords with it', () => {
    const state = StateDir.open(parent, false);
    const { adminPassword } = state.secrets();
    state.release();
    const again = StateDir.open(parent, true);
    expect(again.secrets().adminPassword).not.toBe(adminPassword);
    again.release();
  });

  it.each([false, true])('is never a folder with something of somebody else’s in it (reset: %s)', (reset) => {
    mkdirSync(join(parent, 'images'));
    writeFileSync(join(parent, 'images', 'holiday.jpg'), 'x');
    expect(() => StateDir.open(parent, reset)).toThrow(OptionError);
    expect(existsSync(join(parent, 'images', 'holiday.jpg'))).toBe(true);
    expect(existsSync(join(parent, 'lock.db'))).toBe(false);
  });

  it('may be a fresh volume', () => {
    mkdirSync(join(parent, 'lost+found'));
    writeFileSync(join(parent, '.gitkeep'), '');
    StateDir.open(parent, false).release();
  });

  it('is refused in one line where nobody can make a folder', () => {
    expect(() => StateDir.open('/proc/fractus/state', false)).toThrow('cannot write to the state folder');
  });

  it('is refused where a file is in the way', () => {
    writeFileSync(join(parent, 'file'), '');
    expect(() => StateDir.open(join(parent, 'file'), false)).toThrow('cannot write to the state folder');
    expect(() => StateDir.open(join(parent, 'file', 'below'), false)).toThrow('cannot write to the state folder');
  });

  it('names in one line what stands in the way of a folder in it', () => {
    writeFileSync(join(parent, 'lock.db'), '');
    writeFileSync(join(parent, 'logs'), '');
    expect(() => StateDir.open(parent, false)).toThrow(`cannot make the folder ${join(parent, 'logs')}`);
  });

  it.each(['{', 'null', '[]'])('keeps passwords that it cannot read: %s', (text) => {
    const state = StateDir.open(parent, false);
    writeFileSync(join(parent, 'secrets.json'), text);
    expect(() => state.secrets()).toThrow(OptionError);
    expect(readFileSync(join(parent, 'secrets.json'), 'utf8')).toBe(text);
    state.release();
  });

  it('has a name', () => expect(() => parseOptions(['--state-dir', ''])).toThrow('Give a folder'));
});
