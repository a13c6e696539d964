/** Whether a URL may be handed to the operating system: a web address, without credentials that would pass for its host. */
export function isSafeExternalUrl(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text);
    return protocol === 'https:' && username === '' && password === '';
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
