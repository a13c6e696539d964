import { permissionDenied } from '#proto/wire/status.ts';
import { loadOpaque, type PairingStart } from './pairing-server.ts';
import { DEFAULT_EFFORT, namesOf, normalPin, type PairingEffort } from './pin.ts';
import { Sealed } from './sealed.ts';

export interface PairingGuess {
  /** As typed. */
  readonly pin: string;
  /** See `PairingOptions`. */
  readonly name: string;
  readonly effort?: PairingEffort;
}

/** Carries the two requests to the end that shows the PIN; rejects with what that end throws. */
export interface PairingTransport {
  start(request: string): Promise<PairingStart>;
  finish(attempt: string, request: string): Promise<void>;
}

/**
 * Proves to the other end that we know its PIN, and has it prove the same, without telling it. PERMISSION_DENIED when the PIN is
 * wrong or the other end is not the one that shows it.
 */
export async function pair({ pin, name, effort = DEFAULT_EFFORT }: PairingGuess, transport: PairingTransport): Promise<Sealed> {
  const opaque = await loadOpaque();
  const password = normalPin(pin);
  const { clientLoginState, startLoginRequest } = opaque.client.startLogin({ password });
  const { attempt, response } = await transport.start(startLoginRequest);
  const proof = opaque.client.finishLogin({
    clientLoginState,
    loginResponse: response,
    password,
    identifiers: namesOf(name),
    keyStretching: { 'argon2id-custom': effort },
  });
  if (!proof) throw permissionDenied('The PIN is wrong');
  await transport.finish(attempt, proof.finishLoginRequest);
  return new Sealed('client', proof.sessionKey);
}
