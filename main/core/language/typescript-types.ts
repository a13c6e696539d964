/** The package `typescript`, which is loaded when it is needed and may be missing. */
export type TypeScript = typeof import('typescript');
