/** LANFLOW_DISCOVERY=off: nothing is sent to the LAN before the user asks for it, as on networks where multicast is unwelcome. */
export function mayDiscover(variables: Readonly<Record<string, string | undefined>>): boolean {
  return variables['LANFLOW_DISCOVERY'] !== 'off';
}
