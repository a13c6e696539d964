import type { GraphView } from '#proto/ipc/contract.ts';

type Columns = Pick<GraphView, 'names' | 'ops' | 'devices' | 'inputs' | 'outputs'>;

/** A graph from lines of `name = Op(input, ^control) @ device`; op and device may be left out. */
export function graphOf(text: string): Columns {
  const nodes = text
    .trim()
    .split('\n')
    .map((line) => {
      const [, name = '', op = 'NoOp', inputs = '', device = ''] =
        /^\s*(\S+)(?: = (\w+))?(?:\(([^)]*)\))?(?: @ (\S+))?\s*$/.exec(line) ?? [];
      return { name, op, inputs: inputs.split(/,\s*/).filter(Boolean), device };
    });
  return {
    names: nodes.map(({ name }) => name),
    ops: nodes.map(({ op }) => op),
    devices: nodes.map(({ device }) => device),
    inputs: nodes.map(({ inputs }) => inputs),
    outputs: nodes.map(({ op }) => (op === 'NoOp' ? [] : ['float[2]'])),
  };
}

/** 2 000 nodes and 4 000 edges in scopes three deep, over two ps and four workers: a long chain of layers with their variables. */
export function bigGraph(): Columns {
  const lines: string[] = [];
  for (let at = 0; at < 250; at++) {
    const scope = `net/block_${Math.floor(at / 10)}/layer_${at}`;
    const [ps, worker] = [`/job:ps/task:${at % 2}`, `/job:worker/task:${at % 4}`];
    const before = at === 0 ? [] : [`net/block_${Math.floor((at - 1) / 10)}/layer_${at - 1}/relu`];
    lines.push(
      `${scope}/weights = VariableV2 @ ${ps}`,
      `${scope}/weights/init = RandomUniform @ ${ps}`,
      `${scope}/weights/Assign = Assign(${scope}/weights, ${scope}/weights/init) @ ${ps}`,
      `${scope}/weights/read = Identity(${scope}/weights, ^${scope}/weights/Assign) @ ${ps}`,
      `${scope}/scale = Const @ ${worker}`,
      `${scope}/matmul = MatMul(${[...before, `${scope}/weights/read`, `${scope}/scale`].join(', ')}) @ ${worker}`,
      `${scope}/add = Add(${[`${scope}/matmul`, `${scope}/scale`, `^${scope}/weights/Assign`, `${scope}/weights`].join(', ')}) @ ${worker}`,
      `${scope}/relu = Relu(${[`${scope}/add`, `${scope}/weights/read`, `${scope}/weights/init`, `^${scope}/matmul`, `^${scope}/scale`, `^${scope}/weights/read`].join(', ')}) @ ${worker}`,
    );
  }
  return graphOf(lines.join('\n'));
}
