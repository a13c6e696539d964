import type { KernelRegistry } from '../engine/kernel-registry.ts';
import { Accelerator, type Backend } from './accelerated.ts';
import { installedBackends } from './backends.ts';
import { computeHere, pureKernel } from './compute.ts';
import { costOf } from './cost.ts';
import type { ThreadSetup } from './device-channel.ts';
import { type CallMessage, pack, packError, type ThreadMessage, unpackCall } from './messages.ts';

/** The other end of a device channel, as the thread or process sees it. */
export interface HostPort {
  send(message: ThreadMessage): void;
  receive(listener: (message: CallMessage) => void): void;
}

/** Answers the calls that come through a port, with accelerated kernels where they serve and our own elsewhere. */
export function hostDevice(port: HostPort, setup: ThreadSetup, kernels: KernelRegistry): void {
  const backends = installedBackends(setup.backends, setup);
  const log = (text: string) => port.send({ kind: 'log', text });
  const accelerator = new Accelerator(backends, log);
  port.receive(async (message) => port.send(await answer(message)));
  if (setup.probe) void probe(backends[0], log).then((hasGpu) => port.send({ kind: 'device', hasGpu }));

  async function answer(message: CallMessage): Promise<ThreadMessage> {
    try {
      const call = unpackCall(message);
      const spec = pureKernel(kernels, setup.type, call);
      const outputs = (await accelerator.compute(call, costOf(spec, call))) ?? computeHere(spec, call);
      return { kind: 'done', outputs: outputs.map(pack) };
    } catch (error) {
      return { kind: 'failed', error: packError(error) };
    }
  }
}

async function probe(backend: Backend | undefined, log: (text: string) => void): Promise<boolean> {
  try {
    return (await backend?.usesGpu()) ?? false;
  } catch (error) {
    log(`Backend ${backend?.name} does not work: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}
