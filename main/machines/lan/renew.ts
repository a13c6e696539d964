import { toStatusError } from '#proto/wire/status.ts';
import type { AgentClient } from '../agent-client.ts';
import type { LabAuthority } from './authority.ts';

export interface RenewOptions {
  readonly lab: Pick<LabAuthority, 'info' | 'answerRenewal' | 'renewal' | 'renewed'>;
  readonly log: (line: string) => void;
}

/**
 * Certificates of guests are renewed by way of any machine that both the guest and the owner talk to: there the one leaves his request
 * and finds the certificate, the other finds the request and leaves the certificate. Rejects with what the agent or the lab says.
 */
export async function renewThrough(agent: AgentClient, { lab, log }: RenewOptions): Promise<void> {
  if ((await lab.info()).isOwner) {
    for (const renewal of await agent.renewals()) {
      const certificate = await lab.answerRenewal(renewal).catch((error: unknown) => log(toStatusError(error).message));
      if (certificate !== undefined) await agent.answerRenewal(certificate);
    }
    return;
  }
  const renewal = await lab.renewal();
  const certificate = renewal && (await agent.renew(renewal));
  if (certificate) await lab.renewed(certificate);
}
