import type { DocumentNode, GraphDocument } from '#proto/graph-document/document.ts';
import { neededBy, sortNodes } from '#proto/graph-document/document-order.ts';
import { findProblems, trainableVariables } from '#proto/graph-document/find-problems.ts';
import { type ProblemCode, problemText } from '#proto/graph-document/problem.ts';
import type { RunPlan } from '#proto/ipc/contract.ts';
import { invalidArgument, StatusError } from '#proto/wire/status.ts';
import { Graph, type Variable } from '../client/index.ts';
import { BuiltNodes } from './document-built-nodes.ts';
import { buildNode } from './document-nodes.ts';

export interface DocumentGraph {
  readonly graph: Graph;
  /** How a run goes unless its user says otherwise. */
  readonly plan: RunPlan;
  /** Tasks per job that the document wants. */
  readonly cluster: Readonly<Record<string, number>>;
}

/**
 * The graph that a document describes, made with the client library: the nodes of the document under their own names, and beside them
 * what TensorFlow makes for variables, gradients and optimizers. Their order in the document does not matter. Throws
 * INVALID_ARGUMENT that names a node of the document when no graph can be made of it.
 */
export function buildDocumentGraph(document: GraphDocument): DocumentGraph {
  checkDocument(document);
  const graph = new Graph();
  graph.setRandomSeed(document.seed ?? undefined);
  // Nodes of the document have the first claim on their names; what is made beside them gives way.
  for (const { name } of document.nodes) graph.reserveName(name);
  const trained = trainableVariables(document).map(({ name }) => name);
  const built = new BuiltNodes();
  for (const node of sortNodes(document.nodes, (each) => [...neededBy(each), ...(trainsAll(each) ? trained : [])]).order) {
    named(node, () =>
      built.add(
        node.name,
        graph.device(node.device, () => build(graph, node, built)),
      ),
    );
  }
  return { graph, plan: planOf(document, graph), cluster: document.cluster };
}

/** These keep a document from running, but not from being a graph. */
const onlyForRuns: ReadonlySet<ProblemCode> = new Set(['nothingToRun', 'unfed', 'unknownFetch', 'noSuchTask']);

function checkDocument(document: GraphDocument): void {
  const problems = findProblems(document).filter(({ code }) => !onlyForRuns.has(code));
  const [first] = problems;
  if (!first) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw invalidArgument(`The document '${document.title}' is not complete: ${problemText(first)}${more}`);
}

function trainsAll(node: DocumentNode): boolean {
  return node.kind === 'optimizer' && node.inputs[1]?.length === 0;
}

function build(graph: Graph, node: DocumentNode, built: BuiltNodes): ReturnType<typeof buildNode> {
  if (node.control.length === 0) return buildNode(graph, node, built);
  return graph.controlDependencies(
    node.control.map((name) => built.node(name)),
    () => buildNode(graph, node, built),
  );
}

function named(node: DocumentNode, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw error.withMessage(`Node '${node.name}' of the document: ${error.message}`);
  }
}

function planOf({ run }: GraphDocument, graph: Graph): RunPlan {
  const { fetches, targets, watch, steps, interval, traceEvery, feeds } = run;
  return {
    initialize: graph.globalVariables().map(({ initializer }: Variable) => initializer.name),
    ...{ fetches, targets, watch, steps, interval, traceEvery },
    feeds: Object.fromEntries(Object.entries(feeds).map(([name, value]) => [name, JSON.stringify(value)])),
  };
}
