/** Writes `dist/client/index.d.ts`, the types of `lanflow/client` in one file: `node scripts/types.mjs`. */
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = fileURLToPath(new URL('..', import.meta.url));

const bundle = await rollup({
  input: `${root}main/client/index.ts`,
  external: /^@bufbuild\/protobuf/,
  plugins: [
    dts({
      tsconfig: `${root}tsconfig.json`,
      compilerOptions: { incremental: false, noEmit: false, declaration: true, emitDeclarationOnly: true },
    }),
  ],
  onwarn: ({ message }) => {
    throw new Error(message);
  },
});
await bundle.write({ file: `${root}dist/client/index.d.ts`, format: 'es' });
await bundle.close();
