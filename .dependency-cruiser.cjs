/**
 * Imports point one way. Each row: a folder, and all that it may import besides itself (own folders as paths, packages as
 * `npm:NAME`, Node's modules as `node`). Whatever is not listed is an error; so are cycles anywhere.
 */
const rows = [
  ['proto/generated', ['npm:@bufbuild/protobuf']],
  ['proto/wire', ['proto/generated', 'npm:@bufbuild/protobuf']],
  ['proto/ops', ['proto/generated', 'proto/wire', 'npm:@bufbuild/protobuf']],
  ['task-server/engine', ['proto', 'npm:@bufbuild/protobuf']],
  ['task-server/kernels', ['task-server/engine', 'proto/wire', 'proto/generated', 'npm:@bufbuild/protobuf']],
  ['task-server/backends', ['task-server/engine', 'task-server/kernels', 'proto/wire', 'proto/generated', 'node', 'npm:@bufbuild/protobuf', 'npm:@tensorflow/', 'npm:onnxruntime-node']],
  ['task-server/worker', ['task-server/engine', 'proto', 'npm:@bufbuild/protobuf']],
  ['task-server/master', ['task-server/engine', 'task-server/worker/worker-interface', 'proto', 'npm:@bufbuild/protobuf']],
  ['task-server/service', ['task-server', 'proto', 'node', 'npm:@bufbuild/protobuf', 'npm:@grpc/grpc-js']],
  ['task-server/tensorflow', ['task-server', 'proto', 'node', 'npm:@bufbuild/protobuf', 'npm:koffi']],
  ['task-server/[^/]+\\.ts', ['task-server', 'proto', 'node', 'npm:@bufbuild/protobuf']],
  ['main/client', ['proto', 'node', 'npm:@bufbuild/protobuf', 'npm:@grpc/grpc-js']],
  ['main/programs', ['main/client', 'proto/wire']],
  ['main/cluster', ['main/client', 'proto/wire', 'node']],
  ['main/program-host', ['main/client', 'main/cluster', 'main/programs', 'proto/wire', 'proto/generated', 'node', 'npm:@bufbuild/protobuf', 'npm:esbuild']],
  ['main/cli/', ['main/client', 'main/cluster', 'main/programs', 'main/program-host', 'proto', 'package.json', 'node', 'npm:@bufbuild/protobuf', 'npm:commander']],
];

const escape = (text) => text.replace(/[.@/]/g, '\\$&');

function target(entry) {
  if (entry === 'node') return null;
  if (entry.startsWith('npm:')) return `node_modules/${escape(entry.slice(4))}`;
  return `^${entry}`;
}

const forbidden = rows.map(([from, may]) => ({
  name: `${from} imports only what it may`,
  severity: 'error',
  from: { path: `^${from}` },
  to: {
    pathNot: [`^${from}`, ...may.map(target).filter(Boolean)],
    ...(may.includes('node') ? { dependencyTypesNot: ['core'] } : {}),
  },
}));

module.exports = {
  forbidden: [
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'everything resolves', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: ['^@tensorflow/tfjs-node(-gpu)?$'] } },
    ...forbidden,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.cache)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
};
