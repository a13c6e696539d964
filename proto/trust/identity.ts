/**
 * Who a certificate of a lab is for, as URIs among its subject alternative names: `lanflow:task:%2Fjob%3Aps%2Freplica%3A0%2Ftask%3A0`.
 * Names, not addresses: machines keep theirs when their addresses change. A task's certificate may name its machine too.
 */
export interface Identity {
  readonly kind: IdentityKind;
  /** Id of a machine, `/job:ps/replica:0/task:0`, or a user's name. */
  readonly name: string;
}

/**
 * How a machine has shown to be who it says: by the certificate that it has, by its PIN, because somebody is logged in to it, or as the
 * one that this program runs on.
 */
export type MachineProof = 'link' | 'pin' | 'ssh' | 'local';

const kinds = ['machine', 'task', 'user'] as const;
export type IdentityKind = (typeof kinds)[number];

export function identityUri({ kind, name }: Identity): string {
  return `lanflow:${kind}:${encodeURIComponent(name).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)}`;
}

/** From the text that Node has for subject alternative names; other names than ours are left out. */
export function readIdentities(subjectAltName: string | undefined): readonly Identity[] {
  return (subjectAltName ?? '').split(', ').flatMap((entry) => {
    const [, kindText, encoded] = /^URI:lanflow:([a-z]+):([\w%.~-]+)$/.exec(entry) ?? [];
    const kind = kinds.find((each) => each === kindText);
    const name = encoded === undefined ? undefined : decoded(encoded);
    return kind === undefined || name === undefined ? [] : [{ kind, name }];
  });
}

/** `task /job:ps/replica:0/task:0, machine 0123456789abcdef` */
export function identitiesText(identities: readonly Identity[]): string {
  return identities.map(({ kind, name }) => `${kind} ${name}`).join(', ') || 'nobody that Lanflow knows';
}

function decoded(text: string): string | undefined {
  // Malformed escapes: whoever made the certificate was not Lanflow.
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const bytes = text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}
