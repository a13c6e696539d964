/**
 * Imports point one way. Each row: a folder, and all that it may import besides itself (own folders as paths, packages as
 * `npm:NAME`, Node's modules as `node`). Whatever is not listed is an error; so are cycles anywhere.
 */
const rows = [
  ['proto/generated', ['npm:@bufbuild/protobuf']],
  ['proto/wire', ['proto/generated', 'npm:@bufbuild/protobuf']],
  ['proto/ipc', ['proto/wire', 'npm:cbor-x']],
  ['proto/discovery', ['node']],
  ['proto/files', ['proto/wire', 'node']],
  ['proto/trust', ['proto/wire', 'node', 'npm:@peculiar/x509', 'npm:@serenity-kit/opaque']],
  ['proto/ops', ['proto/generated', 'proto/wire', 'npm:@bufbuild/protobuf']],
  ['proto/graph-document', ['proto/generated', 'proto/ops', 'proto/wire', 'npm:@bufbuild/protobuf']],
  ['task-server/engine', ['proto', 'npm:@bufbuild/protobuf']],
  ['task-server/kernels', ['task-server/engine', 'proto/wire', 'proto/generated', 'npm:@bufbuild/protobuf']],
  ['task-server/backends', ['task-server/engine', 'task-server/kernels', 'proto/wire', 'proto/generated', 'node', 'npm:@bufbuild/protobuf', 'npm:@tensorflow/', 'npm:onnxruntime-node']],
  ['task-server/worker', ['task-server/engine', 'proto', 'npm:@bufbuild/protobuf']],
  ['task-server/master', ['task-server/engine', 'task-server/worker/worker-interface', 'proto', 'npm:@bufbuild/protobuf']],
  ['task-server/service', ['task-server', 'proto', 'node', 'npm:@bufbuild/protobuf', 'npm:@grpc/grpc-js']],
  [
    'task-server/agent',
    ['task-server/service', 'task-server/tensorflow/find', 'proto', 'package.json', 'node', 'npm:@bufbuild/protobuf', 'npm:@grpc/grpc-js', 'npm:multicast-dns'],
  ],
  ['task-server/tensorflow', ['task-server', 'proto', 'node', 'npm:@bufbuild/protobuf', 'npm:koffi']],
  ['task-server/[^/]+\\.ts', ['task-server', 'proto', 'node', 'npm:@bufbuild/protobuf']],
  ['main/client', ['proto', 'node', 'npm:@bufbuild/protobuf', 'npm:@grpc/grpc-js']],
  ['main/programs', ['main/client', 'proto/wire']],
  ['main/store', ['proto/files', 'proto/ipc', 'proto/trust', 'proto/wire', 'node', 'npm:@peculiar/x509']],
  ['main/runs', ['proto', 'node', 'npm:@bufbuild/protobuf', 'npm:apache-arrow', 'npm:fflate']],
  ['main/machines', ['proto', 'node', 'npm:@bufbuild/protobuf', 'npm:@grpc/grpc-js', 'npm:multicast-dns']],
  ['main/install', ['proto', 'package.json', 'node', 'npm:ssh2']],
  ['main/cluster', ['main/client', 'main/machines', 'main/store', 'proto', 'node']],
  ['main/program-host', ['main/client', 'main/cluster', 'main/programs', 'proto', 'node', 'npm:@bufbuild/protobuf', 'npm:esbuild']],
  ['main/core', ['main/client', 'main/cluster', 'main/install', 'main/machines', 'main/programs', 'main/program-host', 'main/runs', 'main/store', 'proto', 'package.json', 'node', 'npm:esbuild', 'npm:typescript']],
  [
    'main/cli/',
    [
      'main/client',
      'main/cluster',
      'main/install',
      'main/machines',
      'main/programs',
      'main/program-host',
      'main/runs',
      'main/store',
      'main/app/core-process',
      'main/app/static-files',
      'proto',
      'package.json',
      'node',
      'npm:@bufbuild/protobuf',
      'npm:commander',
      'npm:ws',
    ],
  ],
  ['main/index\\.ts', ['main/app', 'proto/ipc', 'node', 'npm:electron']],
  ['main/app', ['proto/ipc', 'proto/wire/status', 'node', 'npm:electron']],
  ['main/embed', ['main/app', 'proto/ipc', 'proto/wire/status', 'node', 'npm:electron']],
  ['main/preload', ['main/app/channels', 'proto/ipc', 'npm:electron']],
  ['renderer/api', ['proto/ipc', 'proto/wire']],
  ['renderer/components', ['renderer/locales', 'proto/ipc/contract', 'npm:svelte', 'npm:@codemirror/', 'npm:@lezer/highlight', 'npm:@xyflow/svelte', 'npm:elkjs']],
  ['renderer/plots', ['renderer/components', 'renderer/locales', 'proto/ipc', 'npm:svelte', 'npm:uplot']],
  ['renderer/stores', ['renderer/api', 'renderer/locales', 'proto', 'npm:svelte']],
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
    {
      name: 'no feature imports another',
      severity: 'error',
      from: { path: '^renderer/features/([^/]+)/' },
      to: { path: '^renderer/features/', pathNot: '^renderer/features/$1/' },
    },
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
