import { nodeOf } from '../graph/base-graph.ts';
import type { ControlInput, GraphBuilder, Node, OpOptions, Output, TensorInput } from '../graph/node.ts';
import { arrayOps } from './array.ts';
import type { Initializer } from './initializers.ts';
import { GLOBAL_VARIABLES, LOCAL_VARIABLES, makeVariable, TRAINABLE_VARIABLES, type Variable, type VariableOptions } from './variable.ts';

/** Variables, and nodes that are run for their effect. */
export const stateOps = {
  /**
   * A variable with an initial value, or with an initializer and a shape. `g.variable('var', 0)` is float.
   * @throws StatusError INVALID_ARGUMENT when shape and initial value do not fit.
   */
  variable(graph: GraphBuilder, name: string, initial: TensorInput | Initializer, options?: VariableOptions): Variable {
    return makeVariable(graph, name, initial, options);
  },

  /** Sets a variable; gives the new value. */
  assign(_graph: GraphBuilder, variable: Variable, value: TensorInput, options?: OpOptions): Output {
    return variable.assign(value, options);
  },

  /** Adds to a variable; gives the sum. */
  assignAdd(_graph: GraphBuilder, variable: Variable, delta: TensorInput, options?: OpOptions): Output {
    return variable.assignAdd(delta, options);
  },

  /** Subtracts from a variable; gives the difference. */
  assignSub(_graph: GraphBuilder, variable: Variable, delta: TensorInput, options?: OpOptions): Output {
    return variable.assignSub(delta, options);
  },

  /** All variables but the local ones. */
  globalVariables(graph: GraphBuilder): readonly Variable[] {
    return graph.collection<Variable>(GLOBAL_VARIABLES);
  },

  /** The variables that an optimizer changes. */
  trainableVariables(graph: GraphBuilder): readonly Variable[] {
    return graph.collection<Variable>(TRAINABLE_VARIABLES);
  },

  /** A node that gives every variable made so far its initial value, each on the variable's device, in no particular order. */
  globalVariablesInitializer(graph: GraphBuilder): Node {
    return stateOps.variablesInitializer(graph, stateOps.globalVariables(graph));
  },

  /** A node that gives these variables their initial value. */
  variablesInitializer(graph: GraphBuilder, variables: readonly Variable[], { name = 'init' }: OpOptions = {}): Node {
    return stateOps.group(
      graph,
      variables.map(({ initializer }) => initializer),
      { name },
    );
  },

  /** Bool scalar: has the variable a value? */
  isVariableInitialized(_graph: GraphBuilder, variable: Variable, options?: OpOptions): Output {
    return variable.isInitialized(options);
  },

  /**
   * Names of the variables (all global and local ones by default) that have no value yet: a string vector. Runs on `/cpu:0`
   * of the master's own task and asks every variable's task, so it also waits for the cluster.
   */
  reportUninitializedVariables(graph: GraphBuilder, variables?: readonly Variable[]): Output {
    const asked = variables ?? [...graph.collection<Variable>(GLOBAL_VARIABLES), ...graph.collection<Variable>(LOCAL_VARIABLES)];
    return graph.nameScope('report_uninitialized_variables', () => {
      const states = asked.map((variable) => graph.device(null, () => variable.isInitialized()));
      return graph.device(null, () => graph.device('/cpu:0', () => missingNames(graph, asked, states)));
    });
  },

  /** A node that does nothing. */
  noOp(graph: GraphBuilder, options?: OpOptions): Node {
    return graph.op('NoOp', [], {}, options);
  },

  /** A node that runs after all of these. One helper node per device keeps the control edges between tasks few. */
  group(graph: GraphBuilder, inputs: readonly ControlInput[], { name = 'group_deps' }: OpOptions = {}): Node {
    const byDevice = groupByDevice(inputs.map(nodeOf));
    const wait = (device: string, nodes: readonly Node[], as?: string): Node =>
      graph.controlDependencies(nodes, () => graph.op('NoOp', [], {}, { ...(device !== '' && { device }), ...(as && { name: as }) }));
    if (byDevice.size <= 1) return wait(...([...byDevice][0] ?? ['', []]), name);
    return graph.nameScope(name, (scope) => {
      const parts = [...byDevice].sort(([a], [b]) => (a < b ? -1 : 1)).map(([device, nodes]) => wait(device, nodes));
      return graph.controlDependencies(parts, () => graph.op('NoOp', [], {}, { name: `${scope}/` }));
    });
  },

  /** Tensors that are ready only when all of them are. */
  tuple(graph: GraphBuilder, tensors: readonly Output[], { name = 'tuple' }: OpOptions = {}): readonly Output[] {
    return graph.nameScope(name, () => {
      const gate = stateOps.group(graph, tensors);
      return graph.controlDependencies([gate], () =>
        tensors.map((tensor) =>
          graph.colocateWith(tensor, () => graph.op('Identity', [tensor], {}, { name: 'control_dependency' }).output()),
        ),
      );
    });
  },

  /** A tensor that is ready only when these have run. */
  withDependencies(graph: GraphBuilder, inputs: readonly ControlInput[], tensor: TensorInput): Output {
    return graph.controlDependencies(inputs, () => graph.op('Identity', [tensor], {}, { name: 'control_dependency' }).output());
  },
};

function groupByDevice(nodes: readonly Node[]): Map<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const node of new Set(nodes)) groups.set(node.device, [...(groups.get(node.device) ?? []), node]);
  return groups;
}

function missingNames(graph: GraphBuilder, variables: readonly Variable[], states: readonly Output[]): Output {
  if (variables.length === 0) return graph.op('Const', [], { dtype: 'string', value: { dtype: 'string', shape: [0], data: [] } }).output();
  const missing = graph.op('LogicalNot', [arrayOps.stack(graph, states)]).output();
  const names = graph.convert(variables.map(({ name }) => name));
  return booleanMask(graph, names, missing);
}

/** The elements of a vector where the mask holds, in the nodes that TensorFlow makes for it. */
function booleanMask(graph: GraphBuilder, vector: Output, mask: Output): Output {
  return graph.nameScope('boolean_mask', () => {
    const dims = (): Output => arrayOps.shape(graph, vector, { name: 'Shape' });
    const part = (begin: number, end: number, edges: { beginMask?: number; endMask?: number }): Output =>
      arrayOps.stridedSlice(graph, dims(), [begin], [end], edges);
    const count = graph.op('Prod', [part(0, 1, {}), [0]]).output();
    const [before, after] = [part(0, 0, { beginMask: 1 }), part(1, 0, { endMask: 1 })];
    const shape = arrayOps.concat(graph, [before, arrayOps.stack(graph, [count], 0, { name: 'concat/values_1' }), after], 0);
    const flat = arrayOps.reshape(graph, vector, shape);
    const flatMask = arrayOps.reshape(graph, mask, [-1]);
    const positions = arrayOps.squeeze(graph, graph.op('Where', [flatMask]).output(), [1]);
    return arrayOps.gather(graph, flat, positions);
  });
}
