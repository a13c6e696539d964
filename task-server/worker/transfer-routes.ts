import { taskOfDevice } from '#proto/wire/device-name.ts';
import { parseRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { aborted, invalidArgument, type StatusError } from '#proto/wire/status.ts';
import type { Device } from '../engine/device.ts';

/** Keys kept; one more and all are forgotten. Far more than a task has transfers. */
const MAX_ROUTES = 10_000;

interface Route {
  /** Tasks; undefined where the key names no device of a task. */
  readonly sender: string | undefined;
  readonly receiver: string | undefined;
  /** What is wrong with the key as one of a value that this task sends. */
  readonly problem: (() => StatusError) | undefined;
}

/** Where values come from and go to, by their rendezvous keys. A step's keys are those of the step before, so each is read once. */
export class TransferRoutes {
  readonly #task: string;
  readonly #devices: readonly Device[];
  readonly #routes = new Map<string, Route>();

  /** `task` is the own one, and these are its devices. */
  constructor(task: string, devices: readonly Device[]) {
    this.#task = task;
    this.#devices = devices;
  }

  /** INVALID_ARGUMENT for a key that names none. */
  sender(key: string): string {
    const { sender } = this.#route(key);
    if (sender === undefined) throw this.#invalid(key);
    return sender;
  }

  /** Undefined when a value of this task stays here. Fails as `checkSource` does. */
  receiver(key: string): string | undefined {
    const { receiver, problem } = this.#route(key);
    if (receiver === this.#task) return undefined;
    if (problem) throw problem();
    return receiver;
  }

  /** The key must name a device of this task, and the very instance of it that is there now. */
  checkSource(key: string): void {
    const { problem } = this.#route(key);
    if (problem) throw problem();
  }

  #route(key: string): Route {
    const known = this.#routes.get(key);
    if (known) return known;
    if (this.#routes.size >= MAX_ROUTES) this.#routes.clear();
    const { sendDevice, sendIncarnation, recvDevice } = parseRendezvousKey(key);
    const route = {
      sender: taskOfDevice(sendDevice),
      receiver: taskOfDevice(recvDevice),
      problem: this.#problem(key, sendDevice, sendIncarnation),
    };
    this.#routes.set(key, route);
    return route;
  }

  #problem(key: string, sendDevice: string, incarnation: bigint): Route['problem'] {
    const device = this.#devices.find(({ name }) => name === sendDevice);
    if (!device) return () => this.#invalid(key);
    if (device.incarnation === incarnation) return undefined;
    return () =>
      aborted(
        `RecvTensor expects a different device incarnation: ${incarnation} vs. ${device.incarnation}. ` +
          `Your worker job ("${this.#task}") was probably restarted. Check your worker job for the reason why it was restarted.`,
      );
  }

  #invalid(key: string): StatusError {
    return invalidArgument(`Invalid rendezvous key (src): ${key} @ ${this.#task}`);
  }
}
