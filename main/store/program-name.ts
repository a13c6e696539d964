/** Characters, not bytes. With an extension it stays below the 255 bytes that file systems allow, in any script. */
const MOST_CHARACTERS = 60;
/** Windows has devices of these names, whatever the extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** A name for files made from a title: `Ring all-reduce` becomes `ring-all-reduce`; letters of all scripts stay. */
export function programNameFrom(title: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u);
  const name = [...words.filter((word) => word !== '').join('-')].slice(0, MOST_CHARACTERS).join('').replace(/-$/, '');
  if (name === '') return 'program';
  return RESERVED.test(name) ? `${name}-program` : name;
}

/** The name itself, or the first of `NAME-2`, `NAME-3`… that is free. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name}-${number}`;
  return unique;
}

const OWN = 'own/';

/** By which calls and commands name a program of the user's own. */
export function ownProgram(name: string): string {
  return `${OWN}${name}`;
}

/** The name in `own/NAME`; undefined for other programs. */
export function ownName(program: string): string | undefined {
  return program.startsWith(OWN) ? program.slice(OWN.length) : undefined;
}
