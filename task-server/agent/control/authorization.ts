import { timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { permissionDenied } from '#proto/wire/status.ts';

/** Lets a call pass, or throws PERMISSION_DENIED. Each door of the agent has its own. */
export type Authorizer = (metadata: Metadata) => void;

export const TOKEN_KEY = 'lanflow-token';

/** For callers of this user on this machine: they can read the file in which the token stands. */
export function tokenAuthorizer(token: string): Authorizer {
  const expected = Buffer.from(token);
  return (metadata) => {
    const [given] = metadata.get(TOKEN_KEY);
    const bytes = Buffer.from(given ?? '');
    if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) return;
    throw permissionDenied('This agent serves only programs of its own user, who can read its agent.json');
  };
}

/** For users of the lab on other machines, whose connection has shown that they are. */
export const userAuthorizer: Authorizer = () => undefined;

/** For other members of the lab: machines and tasks have no business here. */
export const memberAuthorizer: Authorizer = () => {
  throw permissionDenied('This agent serves users of its lab, and this certificate is for a task or a machine');
};
