import { invalidArgument, notFound } from '#proto/wire/status.ts';
import type { ResourceHandle, Tensor } from '#proto/wire/tensor.ts';
import type { Device } from '../engine/device.ts';
import type { KernelNode, Value } from '../engine/kernel.ts';
import type { Resource, ResourceKey } from '../engine/resource-manager.ts';

/** A kind of resource under the names that genuine TensorFlow's messages have for it: of the C++ type, mangled and plain. */
export interface ResourceKind {
  readonly kind: string;
  readonly typeName: string;
}

export const VAR: ResourceKind = { kind: 'N10tensorflow3VarE', typeName: 'tensorflow::Var' };
export const QUEUE: ResourceKind = { kind: 'N10tensorflow14QueueInterfaceE', typeName: 'tensorflow::QueueInterface' };

const kinds: readonly ResourceKind[] = [VAR, QUEUE];

/** A handle that keeps its resource alive by itself: private ones are in no table and go when the last handle goes. */
export interface OwningHandle extends ResourceHandle {
  readonly resource?: Resource;
}

/** The container and shared name that a node asks for, checked. */
export function resourceName({ attrs, name }: KernelNode): { readonly container: string; readonly sharedName: string } {
  const sharedName = attrs.text('shared_name');
  if (sharedName.startsWith('_')) throw invalidArgument(`shared_name cannot start with '_':${sharedName}`);
  const container = attrs.text('container');
  if (!/^([A-Za-z0-9.][A-Za-z0-9_.\-/]*)?$/.test(container))
    throw invalidArgument(`container contains invalid characters: ${container} (node '${name}')`);
  return { container, sharedName };
}

export function handleTensor(
  device: Device,
  { typeName }: ResourceKind,
  key: { container: string; name: string },
  resource?: Resource,
): Tensor<'resource'> {
  const handle: OwningHandle = {
    device: device.name,
    container: key.container || device.resources.defaultContainer,
    name: key.name,
    hashCode: 0n,
    typeName,
    ...(resource ? { resource } : {}),
  };
  return { dtype: 'resource', shape: [], data: [handle] };
}

export function handleOf(value: Value | undefined): OwningHandle {
  const handle = (value as Tensor<'resource'>).data[0];
  if (!handle) throw invalidArgument('The resource handle is empty');
  return handle;
}

/** The table entry that a handle names; INVALID_ARGUMENT when it is for another device or another kind. */
export function keyOf(handle: ResourceHandle, { kind, typeName }: ResourceKind, device: Device): ResourceKey {
  const { container, name } = handle;
  if (handle.device !== device.name) {
    throw invalidArgument(`Trying to access resource ${name} located in device ${handle.device} from device ${device.name}`);
  }
  if (handle.typeName !== typeName && handle.typeName !== '') {
    throw invalidArgument(
      `Trying to access a handle's resource using the wrong type. The handle points to a resource (name '${name}') of type '${handle.typeName}' but you are trying to access the resource as type '${typeName}'`,
    );
  }
  return { container, kind, name };
}

/** The resource behind a handle. NOT_FOUND in TensorFlow's words when there is none. */
export function resourceOf<R extends Resource>(value: Value | undefined, kind: ResourceKind, device: Device): R {
  const handle = handleOf(value);
  const key = keyOf(handle, kind, device);
  return (handle.resource as R | undefined) ?? device.resources.get<R>(key);
}

export function deleteResource(handle: ResourceHandle, device: Device, { ignoreMissing }: { readonly ignoreMissing: boolean }): void {
  const kind = kinds.find(({ typeName }) => typeName === handle.typeName) ?? VAR;
  const key = keyOf(handle, kind, device);
  if (!device.resources.delete(key) && !ignoreMissing) {
    throw notFound(`Resource ${handle.container}/${handle.name}/<unknown> does not exist.`);
  }
}
