import { rpcs } from './rpcs.mjs';

const line = (cells) => `| ${cells.join(' | ')} |`;

function table(head, rows) {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** `✓ 12`: all of 12 programs passed; `✗ 3 of 12`: so many failed. */
function verdict(runs) {
  const failed = runs.filter(({ passed }) => !passed).length;
  if (runs.length === 0) return '–';
  return failed === 0 ? `✓ ${runs.length}` : `✗ ${failed} of ${runs.length}`;
}

/** RPC × client × engine. */
export function rpcTable(runs) {
  const columns = [...new Set(runs.map(({ language, kind }) => `${language} on ${kind}`))];
  const rows = rpcs.map(({ service, name, programs, note = 'UNIMPLEMENTED' }) => {
    if (!programs) return [`${service}.${name}`, ...columns.map(() => ''), note];
    const needing = runs.filter((run) => programs.test(run.name));
    return [
      `${service}.${name}`,
      ...columns.map((column) => verdict(needing.filter(({ language, kind }) => `${language} on ${kind}` === column))),
      '',
    ];
  });
  return table(['RPC', ...columns, 'in our tasks'], rows);
}

/** Op × dtype × backend; `specs` are the kernels of a bundled task. */
export function opTable(runs, specs) {
  const names = [...new Set(specs.map(({ op }) => op))].sort((a, b) => (a < b ? -1 : 1));
  const rows = names.map((op) => {
    const own = runs.filter((run) => run.op === op && run.dtype);
    const wrong = own.filter(({ passed }) => !passed).map(({ dtype }) => dtype);
    const types = [...new Set(own.map(({ dtype }) => dtype))].filter((dtype) => !wrong.includes(dtype)).sort();
    const faster = runs.filter((run) => run.op === op && !run.dtype && run.passed).map(({ backend }) => backend);
    const stateful = specs.some((spec) => spec.op === op && spec.kind === 'stateful');
    const covered = types.length > 0 ? types.join(' ') : stateful ? 'keeps state: tested apart' : '–';
    return [op, covered, wrong.join(' '), [...new Set(faster)].sort().join(' ')];
  });
  return table(['op', 'equal to TensorFlow for', 'different for', 'also computed by'], rows);
}
