import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import { aborted, invalidArgument } from '#proto/wire/status.ts';
import { Graph } from '../engine/graph.ts';
import { checkGraph, checkGraphDef } from './graph-check.ts';
import type { MasterEnv } from './master-env.ts';
import { applyPlacements, placeGraph } from './placer.ts';

export interface SessionGraphOptions {
  readonly env: Pick<MasterEnv, 'task' | 'placement' | 'hasKernel'>;
  readonly devices: readonly DeviceAttributes[];
  readonly softPlacement: boolean;
}

/** The whole graph of a session, checked and placed at every change. A change that fails leaves it as it was. */
export class SessionGraph {
  readonly #options: SessionGraphOptions;
  #graph: Graph;
  #version = 0n;

  constructor(def: GraphDef, options: SessionGraphOptions) {
    this.#options = options;
    this.#graph = this.#checked(Graph.fromDef(def, { where: options.env.task }));
  }

  get current(): Graph {
    return this.#graph;
  }

  /** Returns the new version. Steps that are running or registered are not affected. */
  extend(def: GraphDef, expectedVersion: bigint): bigint {
    if (expectedVersion !== this.#version) {
      throw aborted(`Current version is ${this.#version} but caller expected ${expectedVersion}.`);
    }
    checkGraphDef(def);
    this.#checkExtension(def);
    this.#graph = this.#checked(this.#graph.extend(def, { where: this.#options.env.task }));
    this.#version += 1n;
    return this.#version;
  }

  #checkExtension(def: GraphDef): void {
    const known = def.node.find(({ name }) => this.#graph.node(name));
    if (known) {
      throw invalidArgument(
        `GraphDef argument to Extend includes node '${known.name}', which was created by a previous call to Create or Extend in this session.`,
      );
    }
    const old = this.#graph.versions?.producer;
    const added = def.versions?.producer ?? 0;
    if (old !== undefined && old !== added) {
      throw invalidArgument(`Can't extend GraphDef at version ${old} with graph at version ${added}.`);
    }
  }

  #checked(graph: Graph): Graph {
    checkGraph(graph);
    const { env, devices, softPlacement } = this.#options;
    const { task, placement: rule, hasKernel } = env;
    applyPlacements(graph, placeGraph(graph, { devices, task, rule, hasKernel, soft: softPlacement }));
    return graph;
  }
}
