import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { GuestRequestSchema, InvitationService } from '#proto/generated/lanflow/pairing_pb.ts';
import { pair } from '#proto/trust/pairing/pairing-client.ts';
import type { PairingEffort } from '#proto/trust/pairing/pin.ts';
import { Rpc } from '../rpc.ts';
import type { LabTrust } from './authority.ts';
import { type AgentPlace, targetOf } from './hello.ts';
import { HOST_NAME } from './invitation.ts';

export interface Guest {
  /** As typed. */
  readonly pin: string;
  /** As he calls himself. */
  readonly user: string;
  /** PKCS#10, PEM; the key stays with the guest. */
  readonly request: string;
  readonly effort?: PairingEffort;
}

const LIMIT_MS = 10_000;
const { method } = InvitationService;

/** What makes the guest a user of the lab that he is invited to. PERMISSION_DENIED when the PIN is wrong, UNAVAILABLE when nobody invites there. */
export async function acceptInvitation(place: AgentPlace, { pin, user, request, effort }: Guest): Promise<LabTrust> {
  const rpc = new Rpc({ target: targetOf(place), name: `Whoever invites at ${place.host}` });
  const timeoutMs = LIMIT_MS;
  try {
    let attempt = '';
    const sealed = await pair(
      { pin, name: HOST_NAME, ...(effort && { effort }) },
      {
        start: (message) => rpc.unary(method.startPairing, { request: message }, { timeoutMs }),
        finish: async (id, message) => {
          attempt = id;
          await rpc.unary(method.finishPairing, { attempt, request: message }, { timeoutMs });
        },
      },
    );
    const message = sealed.seal(toBinary(GuestRequestSchema, create(GuestRequestSchema, { user, request })));
    const answer = await rpc.unary(method.admitGuest, { attempt, sealed: message }, { timeoutMs });
    const { lab, certificate, authority, handovers, revocations } = fromBinary(TrustSchema, sealed.open(answer.sealed));
    return { lab, certificate, authority, handovers, revocations };
  } finally {
    rpc.close();
  }
}
