import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CertificateRequestSchema, TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { pair } from '#proto/trust/pairing/pairing-client.ts';
import { permissionDenied } from '#proto/wire/status.ts';
import { Rpc, type RpcTarget } from '../rpc.ts';
import type { LabAuthority } from './authority.ts';

export interface PairMachineOptions {
  readonly target: RpcTarget;
  /** Id that the machine is known by. */
  readonly machine: string;
  /** As typed. */
  readonly pin: string;
  readonly lab: Pick<LabAuthority, 'admit'>;
}

const LIMIT_MS = 10_000;
const { method } = PairingService;

/**
 * Makes the machine that shows this PIN one of the lab. PERMISSION_DENIED when the PIN is wrong; NOT_FOUND, RESOURCE_EXHAUSTED and
 * DEADLINE_EXCEEDED when the machine shows none, or none any more.
 */
export async function pairMachine({ target, machine, pin, lab }: PairMachineOptions): Promise<void> {
  const rpc = new Rpc(target);
  try {
    let attempt = '';
    let answer: Uint8Array = new Uint8Array();
    const sealed = await pair(
      { pin, name: machine },
      {
        start: (request) => rpc.unary(method.startPairing, { request }, { timeoutMs: LIMIT_MS }),
        finish: async (id, request) => {
          attempt = id;
          answer = (await rpc.unary(method.finishPairing, { attempt, request }, { timeoutMs: LIMIT_MS })).sealed;
        },
      },
    );
    const asked = fromBinary(CertificateRequestSchema, sealed.open(answer));
    if (asked.machine !== machine) throw permissionDenied(`The PIN is shown by machine ${asked.machine}, not by ${machine}`);
    const trust = await lab.admit(machine, asked.request, 'pin');
    const message = sealed.seal(toBinary(TrustSchema, create(TrustSchema, trust)));
    await rpc.unary(method.completePairing, { attempt, sealed: message }, { timeoutMs: LIMIT_MS });
  } finally {
    rpc.close();
  }
}
