import type { AgentHello, Facts } from './facts.ts';

export type Cause =
  | 'no network'
  | 'no such name'
  | 'no route'
  | 'not permitted'
  | 'nobody there'
  | 'port filtered'
  | 'refused'
  | 'not an agent'
  | 'other version'
  | 'other lab'
  | 'clock off'
  | 'other subnet'
  | 'port taken'
  | 'multicast blocked'
  | 'multicast blocked there'
  | 'fine';

export interface Diagnosis {
  readonly cause: Cause;
  /** What is the matter, and the way out. */
  readonly message: string;
}

interface Row {
  readonly cause: Cause;
  readonly when: (facts: Facts) => boolean;
  readonly message: (facts: Facts) => string;
}

/** Certificates and traces bear that much. */
const CLOCK_LIMIT_MS = 60_000;

/** The first row that holds is the cause: what stands further up hides what stands below. */
const ROWS: readonly Row[] = [
  {
    cause: 'no network',
    when: ({ network, place }) => network === 'no network' && place !== 'this machine',
    message: () => 'This machine is on no network. Plug in the cable or join the Wi-Fi',
  },
  {
    cause: 'no such name',
    when: ({ addresses }) => addresses.length === 0,
    message: ({ target }) =>
      `No machine is called '${target}': neither DNS nor the LAN knows the name. Check the spelling, or give its address, which \`ip address\` (on Windows \`ipconfig\`) shows there`,
  },
  {
    cause: 'no route',
    when: ({ place, agentPort }) => place === 'no route' || agentPort === 'no route',
    message: (facts) =>
      `${where(facts)} is in a network to which this machine has no way. Join the same network, or set a route or default gateway`,
  },
  {
    cause: 'not permitted',
    when: ({ agentPort, place, own }) =>
      agentPort === 'forbidden' || (agentPort === 'nobody there' && own.platform === 'darwin' && place === 'own subnet'),
    message: (facts) =>
      facts.own.platform === 'darwin'
        ? `macOS does not let Lanflow reach ${where(facts)}, or nobody has that address. Allow Lanflow in System Settings › Privacy & Security › Local Network, then try again`
        : `This machine's firewall does not let Lanflow reach ${where(facts)}. Allow connections to TCP port ${facts.port}`,
  },
  {
    cause: 'nobody there',
    when: ({ agentPort }) => agentPort === 'nobody there',
    message: (facts) =>
      `No machine answers at ${where(facts)}: it is switched off, unplugged, or has another address now. Look at its cable and address`,
  },
  {
    cause: 'port filtered',
    when: ({ agentPort, sshPort }) => agentPort === 'no answer' && (sshPort === 'open' || sshPort === 'refused'),
    message: (facts) =>
      `${where(facts)} is there, but a firewall drops what comes to TCP port ${facts.port}. Open it there: ${openPort(facts.port)}`,
  },
  {
    cause: 'nobody there',
    when: ({ agentPort, place }) => agentPort === 'no answer' && place === 'other subnet',
    message: (facts) =>
      `${where(facts)}, in another subnet, gives no answer at TCP port ${facts.port}: it is switched off, or a firewall on the way drops it. Check that it is on, and ask who runs the network to let port ${facts.port} through`,
  },
  {
    cause: 'port filtered',
    when: ({ agentPort }) => agentPort === 'no answer',
    message: (facts) =>
      `${where(facts)} gives no answer at TCP port ${facts.port}: a firewall drops it. Open it there: ${openPort(facts.port)}`,
  },
  {
    cause: 'refused',
    when: ({ agentPort }) => agentPort === 'refused',
    message: (facts) =>
      facts.sshPort === 'open'
        ? `${where(facts)} is there, but no Lanflow agent runs on it. It answers SSH: install Lanflow there from here`
        : `${where(facts)} is there, but no Lanflow agent runs on it. Start it there with \`lanflow agent\`, or turn on SSH there to install it from here`,
  },
  {
    cause: 'not an agent',
    when: ({ agent, agentPort }) => agentPort === 'open' && !agent,
    message: (facts) =>
      `At TCP port ${facts.port} of ${where(facts)} something other than a Lanflow agent answers. Let the agent listen on another port, or end that program`,
  },
  {
    cause: 'other version',
    when: ({ agent, own }) => agent !== undefined && !fits(agent.version, own.version),
    message: (facts) =>
      `The agent on ${where(facts)} is Lanflow ${facts.agent?.version}, this is ${facts.own.version}, and they do not understand each other. Install this version there`,
  },
  {
    cause: 'other lab',
    when: ({ agent, own }) => agent !== undefined && agent.lab !== '' && agent.lab !== own.lab,
    message: (facts) =>
      `${where(facts)} belongs to another lab. Ask its owner for an invitation to that lab, or have the machine leave it and pair it with this one`,
  },
  {
    cause: 'clock off',
    when: ({ agent }) => agent !== undefined && Math.abs(agent.clockOffset) > CLOCK_LIMIT_MS,
    message: (facts) =>
      `The clock of ${where(facts)} is ${span(facts.agent)}; certificates may seem to be expired or not yet valid. Set it there, or turn on network time`,
  },
  {
    cause: 'fine',
    when: ({ isAnnounced, place }) => isAnnounced || place === 'this machine',
    message: (facts) => `${where(facts)} is there and its agent answers. Nothing is in the way`,
  },
  {
    cause: 'other subnet',
    when: ({ place }) => place === 'other subnet',
    message: (facts) =>
      `${where(facts)} is there and its agent answers, but it is in another subnet, which announcements do not cross. Add it by its address`,
  },
  {
    cause: 'port taken',
    when: ({ network }) => network === 'port taken',
    message: (facts) =>
      `Another program on this machine keeps UDP port 5353 to itself, so nothing announced is heard. ${where(facts)} is there: add it by its address`,
  },
  {
    cause: 'multicast blocked there',
    when: ({ others }) => others > 0,
    message: (facts) =>
      `${where(facts)} is there, but its announcements do not arrive, while those of others do: a firewall there drops UDP port 5353. Open it there, or add the machine by its address`,
  },
  {
    cause: 'multicast blocked',
    when: () => true,
    message: (facts) =>
      `${where(facts)} is there, but no machine's announcements arrive: the switch or Wi-Fi blocks multicast (client isolation, IGMP snooping), or the firewall of this machine drops UDP port 5353. Add machines by their address, or have multicast allowed`,
  },
];

/** Why a machine is missing. */
export function decide(facts: Facts): Diagnosis {
  const row = ROWS.find(({ when }) => when(facts));
  // The last row always holds.
  return row ? { cause: row.cause, message: row.message(facts) } : { cause: 'fine', message: '' };
}

function where({ target, address }: Facts): string {
  return address === undefined || address === target ? target : `${target} (${address})`;
}

const openPort = (port: number): string =>
  `\`sudo ufw allow ${port}/tcp\`, \`sudo firewall-cmd --add-port=${port}/tcp\`, or in Windows Security › Firewall`;

/** As in semantic versions: before 1.0 the second number counts. */
function fits(a: string, b: string): boolean {
  const significant = (version: string): string => /^0\.\d+|^\d+/.exec(version)?.[0] ?? version;
  return significant(a) === significant(b);
}

function span(agent: AgentHello | undefined): string {
  const offset = agent?.clockOffset ?? 0;
  const seconds = Math.round(Math.abs(offset) / 1000);
  const [size, unit] = seconds >= 172_800 ? [86_400, 'days'] : seconds >= 7200 ? [3600, 'hours'] : [60, 'minutes'];
  return `${Math.max(1, Math.round(seconds / size))} ${unit} ${offset > 0 ? 'ahead' : 'behind'}`;
}
