/**
 * @peculiar/x509 finds its parts through tsyringe, which insists on the metadata half of Reflect, a proposal that no engine has.
 * None of these parts asks for anything, so metadata that is always absent will do; a polyfill that is there already stays.
 */
const metadata = { getMetadata: () => undefined, getOwnMetadata: () => undefined, defineMetadata: () => undefined };

for (const [name, value] of Object.entries(metadata)) {
  if (!(name in Reflect)) Object.defineProperty(Reflect, name, { value, configurable: true, writable: true });
}
