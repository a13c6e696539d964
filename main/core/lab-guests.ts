import type { LabInfo, LabInvitation } from '#proto/ipc/contract.ts';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { PAIRING_LIMIT_MS } from '#proto/trust/pairing/pairing-server.ts';
import { acceptInvitation } from '../machines/lan/accept-invitation.ts';
import { Invitation } from '../machines/lan/invitation.ts';
import { invitationPlaces, parseInvitationPlace } from '../machines/lan/invitation-places.ts';
import type { LabAuthority } from '../store/lab/lab-authority.ts';

export interface LabGuestsEnv {
  readonly lab: LabAuthority;
  /** Of the person at this machine. */
  readonly userName: string;
  /** Somebody has become a user of the lab, or this user one of another. */
  readonly onChange: (guest: string) => void;
  readonly log: (line: string) => void;
}

/** Several people use one lab: inviting others, and becoming a user where one is invited. */
export class LabGuests {
  readonly #env: LabGuestsEnv;
  #invitation: Invitation | undefined;

  constructor(env: LabGuestsEnv) {
    this.#env = env;
  }

  /** In place of an earlier one. */
  async invite(): Promise<LabInvitation> {
    const { lab, onChange, log } = this.#env;
    this.end();
    const invitation = await Invitation.open({
      admitUser: (user, request) => lab.admitUser(user, request),
      onOver: (guest) => guest !== undefined && onChange(guest),
      log,
    });
    this.#invitation = invitation;
    return { pin: invitation.pin, places: invitationPlaces(invitation.port), goodFor: PAIRING_LIMIT_MS };
  }

  end(): void {
    this.#invitation?.close();
    this.#invitation = undefined;
  }

  async join(address: string, pin: string): Promise<LabInfo> {
    const { lab, userName: user, onChange } = this.#env;
    const place = parseInvitationPlace(address);
    await lab.checkFree();
    const { key, request } = await makeRequest(user);
    const trust = await acceptInvitation(place, { pin, user, request });
    await lab.join({ ...trust, key });
    onChange('');
    return lab.info();
  }
}
