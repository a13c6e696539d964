/** Tells from the first bytes of a program or library what it runs on. */

/** As each format numbers its processors. */
const elfMachines = { 62: 'x64', 183: 'arm64' };
const machMachines = { 16777223: 'x64', 16777228: 'arm64' };
const peMachines = { 34404: 'x64', 43620: 'arm64' };

const MACH_64 = 0xfeedfacf;

/** So many bytes of a file are enough. */
export const HEADER_SIZE = 4096;

/** `{platform, arch}` as Node names them; undefined for what is no 64-bit program of these systems. */
export function binaryPlatform(bytes) {
  if (bytes.length < 64) return undefined;
  const [platform, arch] = elf(bytes) ?? mach(bytes) ?? pe(bytes) ?? [];
  return arch && { platform, arch };
}

/** 64 bits, little-endian. */
function elf(bytes) {
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return undefined;
  return ['linux', elfMachines[bytes.readUInt16LE(18)]];
}

function mach(bytes) {
  if (bytes.readUInt32LE(0) !== MACH_64) return undefined;
  return ['darwin', machMachines[bytes.readUInt32LE(4)]];
}

/** The old header of DOS says where the real one begins. */
function pe(bytes) {
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return undefined;
  const start = bytes.readUInt32LE(60);
  if (start + 6 > bytes.length || bytes.toString('latin1', start, start + 4) !== 'PE\0\0') return undefined;
  return ['win32', peMachines[bytes.readUInt16LE(start + 4)]];
}
