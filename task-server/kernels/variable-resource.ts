import { failedPrecondition, invalidArgument, outOfRange, type StatusError, toStatusError } from '#proto/wire/status.ts';
import { type ResourceHandle, shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { Device } from '../engine/device.ts';
import type { StatefulKernelSpec, Value } from '../engine/kernel.ts';
import { Variable } from '../engine/variable.ts';
import { indexTensor } from './array-index.ts';
import { sameShape } from './broadcast.ts';
import { deleteResource, handleOf, handleTensor, keyOf, resourceName, resourceOf, VAR } from './variable-handle.ts';
import { flag } from './variable-ref.ts';
import { after, incremented, type Sign, shifted } from './variable-update.ts';

const varHandle: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'VarHandleOp',
  create(node, device) {
    const { container, sharedName } = resourceName(node);
    const outputs = [handleTensor(device, VAR, { container, name: sharedName })];
    return () => outputs;
  },
};

function lookup(handle: ResourceHandle, device: Device): Variable | undefined {
  return device.resources.lookup<Variable>(keyOf(handle, VAR, device));
}

function readValue(source: Value | undefined, device: Device): Tensor {
  const handle = handleOf(source);
  return lookup(handle, device)?.value ?? failRead(handle, device);
}

/** The word `uninitialized` is what clients look for. */
function failRead(handle: ResourceHandle, device: Device): never {
  const fail = (why: string, cause?: unknown): never => {
    throw failedPrecondition(
      `Could not find variable ${handle.name}. This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. ` +
        `Debug info: container=${handle.container}, status error message=${why}`,
      { cause },
    );
  };
  try {
    device.resources.get(keyOf(handle, VAR, device));
  } catch (error) {
    return fail(toStatusError(error).message, error);
  }
  return fail('It holds no value.');
}

const read: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'ReadVariableOp',
  create({ attrs }) {
    const dtype = attrs.type('dtype');
    return ({ device }, inputs) => {
      const value = readValue(inputs[0], device);
      if (value.dtype !== dtype) throw invalidArgument(`Trying to read variable with wrong dtype. Expected ${dtype} got ${value.dtype}`);
      return [value];
    };
  },
};

const assign: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'AssignVariableOp',
  create({ attrs }) {
    const validates = attrs.has('validate_shape') && attrs.bool('validate_shape');
    return ({ device }, [target, source]) => {
      const value = source as Tensor;
      const variable = device.resources.lookupOrCreate(keyOf(handleOf(target), VAR, device), () => new Variable(value.dtype));
      if (variable.dtype !== value.dtype) {
        throw invalidArgument(`Trying to assign variable with wrong dtype. Expected ${variable.dtype} got ${value.dtype}`);
      }
      const stored = variable.update((current) => {
        if (validates && current && !sameShape(current.shape, value.shape)) throw wrongShape(current, value);
        return value;
      });
      return after(stored, () => []);
    };
  },
};

function wrongShape(current: Tensor, value: Tensor): StatusError {
  return invalidArgument(
    `Trying to assign to variable with tensor with wrong shape. Expected ${shapeText(current.shape)} got ${shapeText(value.shape)}`,
  );
}

function assignSum(op: string, sign: Sign): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op,
    create({ attrs }) {
      const sumAttrs = attrs.withTypes({ T: attrs.type('dtype') });
      return (context, [target, delta]) => {
        const variable = resourceOf<Variable>(target, VAR, context.device);
        const stored = variable.update(() => {
          const current = initialized(variable, target);
          checkUpdate(current, delta as Tensor);
          return shifted(current, delta as Tensor, sign, context, sumAttrs);
        });
        return after(stored, () => []);
      };
    },
  };
}

export function initialized(variable: Variable, handle: Value | undefined): Tensor {
  if (!variable.value) throw failedPrecondition(`Attempting to use uninitialized variables: ${handleOf(handle).name}`);
  return variable.value;
}

function checkUpdate(current: Tensor, value: Tensor): void {
  if (current.dtype !== value.dtype) {
    throw invalidArgument(`Variable and value dtypes don't match; respectively, ${current.dtype} and ${value.dtype}`);
  }
  if (!sameShape(current.shape, value.shape)) {
    throw invalidArgument(
      `Cannot update variable with shape ${shapeText(current.shape)} using a Tensor with shape ${shapeText(value.shape)}, shapes must be equal.`,
    );
  }
}

const isInitialized: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'VarIsInitializedOp',
  create:
    () =>
    ({ device }, inputs) => [flag(lookup(handleOf(inputs[0]), device)?.value !== undefined)],
};

const variableShape: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'VariableShape',
  create:
    ({ attrs }) =>
    ({ device }, inputs) => {
      const variable = resourceOf<Variable>(inputs[0], VAR, device);
      return [indexTensor(attrs.type('out_type'), initialized(variable, inputs[0]).shape)];
    },
};

const destroy: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'DestroyResourceOp',
  create:
    ({ attrs }) =>
    ({ device }, inputs) => {
      deleteResource(handleOf(inputs[0]), device, { ignoreMissing: attrs.bool('ignore_lookup_error') });
      return [];
    },
};

const countUpTo: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'ResourceCountUpTo',
  create({ attrs }) {
    const limit = attrs.bigint('limit');
    return ({ device }, inputs) => {
      const variable = resourceOf<Variable>(inputs[0], VAR, device);
      let before: Tensor | undefined;
      const stored = variable.update(() => {
        before = initialized(variable, inputs[0]);
        if (BigInt(before.data[0] as number | bigint) >= limit) throw outOfRange(`Reached limit of ${limit}`);
        return incremented(before);
      });
      return after(stored, () => (before ? [before] : []));
    };
  },
};

/** Reads a part of a variable: as the op without `Resource` does, from the value of now. */
const gather: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'ResourceGather',
  create({ attrs }) {
    const axis = indexTensor('int32', [attrs.has('batch_dims') ? attrs.int('batch_dims') : 0], []);
    const gatherAttrs = attrs.withTypes({ Tparams: attrs.type('dtype'), Taxis: 'int32' });
    return (context, inputs) => {
      const variable = resourceOf<Variable>(inputs[0], VAR, context.device);
      return context.compute('GatherV2', [initialized(variable, inputs[0]), inputs[1] as Tensor, axis], gatherAttrs);
    };
  },
};

const gatherNd: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'ResourceGatherNd',
  create({ attrs }) {
    const gatherAttrs = attrs.withTypes({ Tparams: attrs.type('dtype') });
    return (context, inputs) => {
      const variable = resourceOf<Variable>(inputs[0], VAR, context.device);
      return context.compute('GatherNd', [initialized(variable, inputs[0]), inputs[1] as Tensor], gatherAttrs);
    };
  },
};

/** Values are never copied on read here, so there is nothing to turn off. */
const disableCopyOnRead: StatefulKernelSpec = { kind: 'stateful', op: 'DisableCopyOnRead', create: () => () => [] };

export const resourceVariableKernels: readonly StatefulKernelSpec[] = [
  varHandle,
  read,
  assign,
  assignSum('AssignAddVariableOp', 'AddV2'),
  assignSum('AssignSubVariableOp', 'Sub'),
  isInitialized,
  variableShape,
  destroy,
  countUpTo,
  gather,
  gatherNd,
  disableCopyOnRead,
];
