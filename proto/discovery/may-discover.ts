/** LANFLOW_DISCOVERY=off: no machine is looked for before the user asks, and none announced, as on networks where multicast is unwelcome. */
export function mayDiscover(variables: Readonly<Record<string, string | undefined>>): boolean {
  return variables['LANFLOW_DISCOVERY'] !== 'off';
}
