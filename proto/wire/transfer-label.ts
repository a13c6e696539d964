/** What the timeline label of a RecvTensor entry says: `[123B] [8.000000Mb/s] edge_12_w from DEVICE to DEVICE`. */
export interface Transfer {
  readonly bytes: number;
  /** Bits per second; undefined when the label has none. */
  readonly bitsPerSecond: number | undefined;
  /** Name of the edge, and of the tensor. */
  readonly tensor: string;
  readonly from: string;
  readonly to: string;
}

const units: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, Kb: 1e3, Mb: 1e6, Gb: 1e9 };

/** Undefined when the label is not that of a transfer. */
export function parseTransferLabel(label: string): Transfer | undefined {
  const match = /^(?:\[([\d.]+)(B|KB|MB|GB)\] )?(?:\[([\d.]+)(Kb|Mb|Gb)\/s\] )?(\S+) from (\S+) to (\S+)/.exec(label);
  if (!match) return undefined;
  const [, size = '0', sizeUnit = 'B', rate, rateUnit = 'Mb', tensor = '', from = '', to = ''] = match;
  const bitsPerSecond = rate === undefined ? undefined : Number(rate) * (units[rateUnit] ?? 1);
  return { bytes: Number(size) * (units[sizeUnit] ?? 1), bitsPerSecond, tensor, from, to };
}
