import { type DeviceSpec, parseDeviceName } from '#proto/wire/device-name.ts';
import { isValidNodeName } from '#proto/wire/tensor-name.ts';
import { type Analysis, analyze, nodeProblems } from './analysis.ts';
import type { DocumentNode, GraphDocument, VariableNode } from './document.ts';
import { nodeOf } from './document-order.ts';
import { type Problem, problem } from './problem.ts';

/** All that keeps a document from running, in the order of its nodes. */
export function findProblems(document: GraphDocument, analysis: Analysis = analyze(document)): readonly Problem[] {
  const loops = analysis.loops.map((names) => problem('loop', names[0] ?? '', { list: names.join(', ') }));
  const seen = new Set<string>();
  const nodes = document.nodes.flatMap((node) => {
    const isSecond = seen.has(node.name);
    seen.add(node.name);
    if (isSecond) return [problem('sameName', node.name)];
    const typing = analysis.typings.get(node.name);
    return [...placeProblems(document, node), ...(typing ? nodeProblems(analysis, typing) : [])];
  });
  return [...loops, ...nodes, ...trainingProblems(document), ...runProblems(document)];
}

/** The variables that an optimizer changes when it names none. */
export function trainableVariables({ nodes }: Pick<GraphDocument, 'nodes'>): readonly VariableNode[] {
  return nodes.filter((node): node is VariableNode => node.kind === 'variable' && node.trainable);
}

function placeProblems({ cluster }: GraphDocument, { name, device }: DocumentNode): readonly Problem[] {
  if (!isValidNodeName(name)) return [problem('badName', name)];
  const spec = parseDeviceName(device);
  if (!spec) return [problem('badDevice', name, { device })];
  return hasTask(cluster, spec) ? [] : [problem('noSuchTask', name, { device })];
}

/** A document without a cluster of its own may be run on any. */
function hasTask(cluster: GraphDocument['cluster'], { job, task = 0 }: DeviceSpec): boolean {
  if (job === undefined || Object.keys(cluster).length === 0) return true;
  return Object.hasOwn(cluster, job) && task < (cluster[job] ?? 0);
}

function trainingProblems(document: GraphDocument): readonly Problem[] {
  const lost = document.nodes.filter((node) => node.kind === 'optimizer' && node.inputs[1]?.length === 0 && node.inputs[0] !== null);
  return trainableVariables(document).length > 0 ? [] : lost.map(({ name }) => problem('noVariables', name));
}

function runProblems({ nodes, run }: GraphDocument): readonly Problem[] {
  const empty = run.fetches.length + run.targets.length === 0 ? [problem('nothingToRun', '')] : [];
  const named = [...new Set([...run.fetches, ...run.targets, ...run.watch, ...Object.keys(run.feeds)])];
  const unknown = named
    .filter((name) => !exists(nodes, nodeOf(withoutElement(name))))
    .map((input) => problem('unknownFetch', '', { input }));
  const fed = new Set(Object.keys(run.feeds).map(nodeOf));
  const unfed = nodes.filter(({ kind, name }) => kind === 'placeholder' && !fed.has(name)).map(({ name }) => problem('unfed', name));
  return [...empty, ...unknown, ...unfed];
}

/** `w` for `w[0,2]`, one element that is plotted. */
function withoutElement(name: string): string {
  return name.replace(/\[[\d, ]*\]$/, '');
}

/** The node itself, or one that the client library makes for it: `weight/read`. */
function exists(nodes: readonly DocumentNode[], name: string): boolean {
  return nodes.some((node) => node.name === name || name.startsWith(`${node.name}/`));
}
