import { isFractusError } from '@fractus/objects';
import { LOCAL_DISK_SPEC } from '@fractus/scheduling';
import { checkLocalDisk, checkLocalDiskSpec } from '../../src/app/flavors/local-disk';

const flavor = (over: object = {}, specs: Record<string, string> = { [LOCAL_DISK_SPEC]: 'forbidden' }) => ({
  name: 'diskless',
  rootGb: 0,
  ephemeralGb: 0,
  swapMb: 0,
  extraSpecs: specs,
  ...over,
});
function refusal(run: () => void): [string, string] | undefined {
  try {
    run();
    return undefined;
  } catch (e) {
    if (!isFractusError(e, 'invalid')) throw e;
    return [e.code, e.message];
  }
}

describe('a flavor without local disk', () => {
  it.each([
    [{ rootGb: 1 }, 'disk 1'],
    [{ ephemeralGb: 2 }, 'OS-FLV-EXT-DATA:ephemeral 2'],
    [{ swapMb: 512 }, 'swap 512'],
  ])('has none itself: %j', (over, named) => {
    expect(refusal(() => checkLocalDiskSpec(flavor(over)))).toEqual([
      'flavor.local_disk_spec',
      `Flavor diskless has ${named}; with fractus:local_disk=forbidden it must be 0.`,
    ]);
    expect(refusal(() => checkLocalDiskSpec(flavor(over, { [LOCAL_DISK_SPEC]: 'allowed' })))).toBeUndefined();
    expect(refusal(() => checkLocalDiskSpec(flavor(over, {})))).toBeUndefined();
  });

  it('asks for no DISK_GB, in any group', () => {
    const specs = (more: Record<string, string>) => flavor({}, { [LOCAL_DISK_SPEC]: 'forbidden', ...more });
    for (const key of ['resources:DISK_GB', 'resources1:DISK_GB', 'resources_A:DISK_GB'])
      expect(refusal(() => checkLocalDiskSpec(specs({ [key]: '5' })))?.[1]).toContain(`${key}=5`);
    expect(refusal(() => checkLocalDiskSpec(specs({ 'resources:DISK_GB': '0' })))).toBeUndefined();
  });

  it('says forbidden or allowed', () => {
    const [code, message] = refusal(() => checkLocalDiskSpec(flavor({}, { [LOCAL_DISK_SPEC]: 'no' }))) ?? [];
    expect(code).toBe('flavor.local_disk_spec');
    expect(message).toContain('must be forbidden or allowed, not no');
  });

  it('takes a server that boots from a volume and has no other disk', () => {
    const ask = (bootFromVolume: boolean, localDevices: number) =>
      refusal(() => checkLocalDisk(flavor(), { bootFromVolume, localDevices }));
    expect(ask(true, 0)).toBeUndefined();
    expect(ask(false, 0)?.[1]).toContain('must boot from a volume');
    expect(ask(true, 1)?.[1]).toContain('neither ephemeral disks nor swap');
    expect(refusal(() => checkLocalDisk(flavor({}, {}), { bootFromVolume: false, localDevices: 2 }))).toBeUndefined();
  });
});
