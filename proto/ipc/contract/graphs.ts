/** A program's graph, or a run's; of its first client when none is named. */
export interface GraphQuery {
  readonly of: { readonly program: string } | { readonly run: string };
  /** `client`, or a task's name. */
  readonly client?: string;
}

/** A graph in columns: node k has element k of each. */
export interface GraphView {
  readonly client: string;
  /** All clients that build a graph. */
  readonly clients: readonly string[];
  readonly names: readonly string[];
  readonly ops: readonly string[];
  /** As the program asks for it; empty where it does not mind. */
  readonly devices: readonly string[];
  /** `a`, `a:1`; control inputs `^a`. */
  readonly inputs: readonly (readonly string[])[];
  /** Of each output, `float[2,?]`. */
  readonly outputs: readonly (readonly string[])[];
  /** What could not be found out, in words: a graph that the rehearsal did not reach. */
  readonly notes: readonly string[];
}

export interface NodeDetails {
  readonly name: string;
  readonly op: string;
  /** One line: what the op does. */
  readonly summary: string;
  readonly device: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Nodes that take its outputs or wait for it. */
  readonly consumers: readonly string[];
  /** Name and value as text, as in .pbtxt but short. */
  readonly attrs: readonly (readonly [name: string, value: string])[];
}

export interface PlacementView {
  /** By node name; nodes that are left out were not placed. */
  readonly devices: Readonly<Record<string, string>>;
  /** Why each is there. */
  readonly reasons: Readonly<Record<string, string>>;
  /** The same for a window that has words of its own for it, by kind; `about`: the node or input that decides, if one does. */
  readonly why: Readonly<Record<string, { readonly kind: string; readonly about: string }>>;
  /** What stands in the way; empty when everything has a place. */
  readonly problems: readonly PlacementProblem[];
  /** Pins that name no node of the graph. */
  readonly unusedPins: readonly string[];
}

export interface PlacementProblem {
  /** Empty when it is about no node in particular. */
  readonly node: string;
  /** One line: `add1 is pinned to worker 7, the cluster has worker 0 to 1`. */
  readonly text: string;
  /** The master's own words. */
  readonly details: string;
}

export interface DeviceSummary {
  /** `/job:ps/replica:0/task:0/device:CPU:0` */
  readonly name: string;
  readonly type: string;
  /** `virtual` says that it only pretends to be a graphics card. */
  readonly description: string;
  readonly isVirtual: boolean;
}
