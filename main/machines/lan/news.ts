import { create } from '@bufbuild/protobuf';
import { TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import type { MachineProof } from '#proto/trust/identity.ts';
import type { MachineLink } from '../machine-link.ts';
import type { LabAuthority } from './authority.ts';

export interface NewsOptions {
  readonly lab: Pick<LabAuthority, 'news' | 'admit'>;
  readonly proof: MachineProof;
}

/**
 * Brings a machine of the lab the revocation list and the authority of now, and a new certificate where it needs one. Rejects with
 * UNAVAILABLE, and the reason, while it cannot be reached.
 */
export async function bringNews(link: Pick<MachineLink, 'id' | 'agent'>, { lab, proof }: NewsOptions): Promise<void> {
  const { id, agent } = link;
  const { trust, isRenewal } = await lab.news(id);
  const fresh = isRenewal ? await lab.admit(id, (await agent.requestCertificate()).request, proof) : trust;
  await agent.setTrust(create(TrustSchema, fresh));
}
