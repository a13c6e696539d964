/**
 * The npm packages that run outside of the bundles (`external` in build.mjs) and what is needed of each at run time, with their
 * licences. TypeScript's libraries and the client's types are in dist/language; of packages with native parts only the target's is
 * shipped.
 */

/** Names of the folders that a package has for the systems of its binaries. */
const koffiFolders = { linux: 'linux', win32: 'win32', darwin: 'darwin' };

/** The systems that Lanflow is packaged for. */
export const targets = ['linux', 'win32', 'darwin'].flatMap((platform) => ['x64', 'arm64'].map((arch) => ({ platform, arch })));

/** What each target takes: package by name, files and folders in it. */
export function shippedPackages(target) {
  const { platform, arch } = target;
  const native = `${platform}-${arch}`;
  return [
    { name: 'typescript', files: ['lib/typescript.js'] },
    { name: 'esbuild', files: ['lib/main.js'] },
    { name: `@esbuild/${native}`, files: [platform === 'win32' ? 'esbuild.exe' : 'bin/esbuild'], isNative: true, like: 'esbuild' },
    ssh2(),
    ...['asn1', 'bcrypt-pbkdf', 'safer-buffer', 'tweetnacl'].map((name) => ({ name, files: ['.'] })),
    ...taskPackages(target),
  ];
}

/** By platform what agent and tasks alone need: all that goes to a machine on which Lanflow is installed from here. */
export function taskPackagesOfAll() {
  const named = targets.map((target) => [
    `${target.platform}-${target.arch}`,
    taskPackages(target).map(({ name, files, isOptional }) => ({ name, files, isOptional })),
  ]);
  return Object.fromEntries(named);
}

/** Of these what agent and tasks take. */
export function taskPackages({ platform, arch }) {
  const native = `${platform}-${arch}`;
  return [
    { name: 'koffi', files: ['index.js', 'index.cjs', 'indirect.js', 'indirect.cjs', 'src/koffi'] },
    { name: `@koromix/koffi-${native}`, files: ['index.js', `${koffiFolders[platform]}_${arch}`], isNative: true, like: 'koffi' },
    { name: '@tensorflow/tfjs-core', files: ['dist/tf-core.node.js'] },
    { name: '@tensorflow/tfjs-backend-cpu', files: ['dist/tf-backend-cpu.node.js'] },
    {
      name: '@tensorflow/tfjs-backend-wasm',
      files: [
        'dist/tf-backend-wasm.node.js',
        'dist/tfjs-backend-wasm-simd.wasm',
        'dist/tfjs-backend-wasm.wasm',
        'dist/tfjs-backend-wasm-threaded-simd.wasm',
      ],
    },
    ...['seedrandom', 'long', 'node-fetch', 'whatwg-url', 'tr46', 'webidl-conversions'].map((name) => ({ name, files: ['.'] })),
    ...onnxruntime(platform, arch),
  ];
}

/** Without its native parts: they fit one Node only, are for speed, and it does without them. */
function ssh2() {
  const protocol = [
    'Protocol',
    'SFTP',
    'constants',
    'crypto',
    'handlers',
    'handlers.misc',
    'kex',
    'keyParser',
    'node-fs-compat',
    'utils',
    'zlib',
  ];
  const parts = ['Channel', 'agent', 'client', 'http-agents', 'index', 'keygen', 'server', 'utils', 'protocol/crypto/poly1305'];
  const modules = [...parts, ...protocol.map((name) => `protocol/${name}`)].map((name) => `lib/${name}.js`);
  return { name: 'ssh2', files: [...modules, 'util/pagent.exe'] };
}

/** What its native part loads besides; the packages have copies, and libraries for graphics cards, that nothing of ours uses. */
const onnxruntimeLibraries = { linux: 'libonnxruntime.so.1', darwin: 'libonnxruntime.1.dylib', win32: 'onnxruntime.dll' };

/** There is none for Macs with an Intel processor; WebAssembly serves them. */
function onnxruntime(platform, arch) {
  if (platform === 'darwin' && arch === 'x64') return [];
  const native = ['onnxruntime_binding.node', onnxruntimeLibraries[platform]].map((file) => `bin/napi-v6/${platform}/${arch}/${file}`);
  return [
    { name: 'onnxruntime-node', files: ['dist', ...native], isOptional: true },
    { name: 'onnxruntime-common', files: ['dist/cjs'], isOptional: true },
  ];
}
