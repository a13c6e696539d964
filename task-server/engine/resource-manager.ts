import { notFound } from '#proto/wire/status.ts';

/** A stateful object of a device: a variable, a queue. */
export interface Resource {
  /** Called when the resource leaves the manager; parked waiters must end. */
  dispose?(): void;
}

/** Kinds name families of resources (`Variable`, `Queue`): two kinds never meet under one name. */
export interface ResourceKey {
  readonly container: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * The stateful objects of one device, by container, kind and name. They outlive steps and sessions; only `delete`,
 * `clear` (the Reset call) and the end of the process free them.
 */
export class ResourceManager {
  /** Name of the container that nodes without a `container` attr use: on a task, its job. */
  readonly defaultContainer: string;
  readonly #containers = new Map<string, Map<string, Resource>>();
  #privateNames = 0;

  constructor(defaultContainer: string) {
    this.defaultContainer = defaultContainer;
  }

  hasContainer(container: string): boolean {
    return this.#containers.has(container || this.defaultContainer);
  }

  lookup<R extends Resource>(key: ResourceKey): R | undefined {
    return this.#containers.get(key.container || this.defaultContainer)?.get(entryName(key)) as R | undefined;
  }

  /** Throws NOT_FOUND with TensorFlow's words when the resource is not there. */
  get<R extends Resource>(key: ResourceKey): R {
    const found = this.lookup<R>(key);
    if (found) return found;
    const container = key.container || this.defaultContainer;
    throw notFound(
      this.#containers.has(container)
        ? `Resource ${container}/${key.name}/${key.kind} does not exist.`
        : `Container ${container} does not exist. (Could not find resource: ${container}/${key.name})`,
    );
  }

  lookupOrCreate<R extends Resource>(key: ResourceKey, make: () => R): R {
    const found = this.lookup<R>(key);
    if (found) return found;
    const made = make();
    const name = key.container || this.defaultContainer;
    const container = this.#containers.get(name) ?? new Map<string, Resource>();
    this.#containers.set(name, container.set(entryName(key), made));
    return made;
  }

  /** A name, for messages, of a resource that a node keeps for itself and that is in no container. */
  privateName(node: string): string {
    return `_${this.#privateNames++}_${node}`;
  }

  /** Whether there was one. */
  delete(key: ResourceKey): boolean {
    const container = this.#containers.get(key.container || this.defaultContainer);
    const found = container?.get(entryName(key));
    if (!found) return false;
    container?.delete(entryName(key));
    found.dispose?.();
    return true;
  }

  /** Drops whole containers; none named means the default one. Names that are not there are no error. */
  clear(containers: readonly string[]): void {
    for (const name of containers.length > 0 ? containers : [this.defaultContainer]) {
      const container = this.#containers.get(name || this.defaultContainer);
      this.#containers.delete(name || this.defaultContainer);
      for (const resource of container?.values() ?? []) resource.dispose?.();
    }
  }

  dispose(): void {
    this.clear([...this.#containers.keys()]);
  }
}

function entryName({ kind, name }: ResourceKey): string {
  return `${kind}/${name}`;
}
