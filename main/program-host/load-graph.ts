import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readDocument } from '#proto/graph-document/read-document.ts';
import type { RunPlan } from '#proto/ipc/contract.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { notFound, toStatusError } from '#proto/wire/status.ts';
import { decodeGraphDef, Graph, type Program, parseGraphDef } from '../client/index.ts';
import { buildDocumentGraph } from './document-graph.ts';

/** A program that is a graph, with one client that runs it as its plan says. */
export interface GraphProgram extends Program {
  readonly graph: Graph;
  /** How it runs unless its user says otherwise. */
  readonly plan: RunPlan;
}

export function isGraphProgram(program: Program): program is GraphProgram {
  return 'graph' in program;
}

/** Is it the path of a graph document or of a GraphDef? */
export function isGraphPath(path: string): boolean {
  return /\.(pb|pbtxt|lanflow\.json)$/.test(path);
}

/** NOT_FOUND for a file that cannot be read, INVALID_ARGUMENT for one that holds no graph. */
export async function loadGraph(path: string): Promise<GraphProgram> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw notFound(`Cannot read ${path}: ${toStatusError(error).message}`, { cause: error });
  });
  if (path.endsWith('.lanflow.json')) return loadDocument(path, bytes.toString('utf8'));
  const graph = new Graph();
  graph.importGraphDef(path.endsWith('.pbtxt') ? parseGraphDef(bytes.toString('utf8')) : decodeGraphDef(bytes));
  return { name: path, title: basename(path), graph, plan: {}, ...wantedBy(graph) };
}

function loadDocument(path: string, text: string): GraphProgram {
  const document = readDocument(text);
  const { title, virtualGpus } = document;
  return { name: path, title: title || basename(path), virtualGpus, ...buildDocumentGraph(document) };
}

/** Help for somebody who does not know the graph: the last few nodes are usually the results. */
export function graphSummary(graph: Graph): string {
  const names = [...graph.nodes.keys()];
  return `${names.length} nodes, the last of them ${names.slice(-5).join(', ')}`;
}

/** The tasks and cards that the devices of its nodes name. A private task is what a graph without any gets. */
function wantedBy(graph: Graph): Pick<Program, 'cluster' | 'virtualGpus'> {
  const cluster: Record<string, number> = {};
  let virtualGpus = 0;
  for (const { device } of graph.nodes.values()) {
    const { job, task = 0, type, index = 0 } = parseDeviceName(device) ?? {};
    if (job !== undefined) cluster[job] = Math.max(cluster[job] ?? 0, task + 1);
    if (type === 'GPU') virtualGpus = Math.max(virtualGpus, index + 1);
  }
  const isPrivate = Object.keys(cluster).every((job) => job === 'localhost') && (cluster['localhost'] ?? 0) <= 1;
  return { cluster: isPrivate ? {} : cluster, virtualGpus };
}
