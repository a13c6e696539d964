import type { Slot } from '#proto/graph-document/document.ts';
import { referencesIn } from '#proto/graph-document/slots.ts';
import { internal, invalidArgument } from '#proto/wire/status.ts';
import { parseInputName } from '#proto/wire/tensor-name.ts';
import type { ControlInput, Output, Variable } from '../client/index.ts';

/** What the client library has made of one node of a document. */
export interface BuiltNode {
  /** What others wait for. */
  readonly node: ControlInput;
  /** What its outputs stand for. */
  readonly outputs: readonly (Output | Variable)[];
}

/** The nodes of a document that are made already, by name. */
export class BuiltNodes {
  readonly #byName = new Map<string, BuiltNode>();

  add(name: string, built: BuiltNode): void {
    this.#byName.set(name, built);
  }

  node(name: string): ControlInput {
    return this.#get(name).node;
  }

  /** What is connected to a slot that must not be empty. */
  one(slot: Slot | undefined): Output | Variable {
    const [first] = this.all(slot);
    if (!first) throw internal('A slot is empty that the check of the document has found filled');
    return first;
  }

  all(slot: Slot | undefined): readonly (Output | Variable)[] {
    return referencesIn(slot).map((reference) => {
      const { node, output } = parseInputName(reference);
      const found = this.#get(node).outputs[output];
      if (!found) throw invalidArgument(`'${node}' has no output ${output}`);
      return found;
    });
  }

  #get(name: string): BuiltNode {
    const built = this.#byName.get(name);
    if (!built) throw internal(`'${name}' is used before it is made`);
    return built;
  }
}
