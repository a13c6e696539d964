/** What an op is about, for its colour in a timeline. */
export type OpFamily = 'compute' | 'state' | 'data' | 'transfer' | 'flow' | 'other';

export const opFamilies: readonly OpFamily[] = ['compute', 'state', 'data', 'transfer', 'flow', 'other'];

/** First match wins. */
const patterns: readonly (readonly [OpFamily, RegExp])[] = [
  ['transfer', /^_?(Host)?(Send|Recv)(Tensor)?$|^(Batch)?Memcpy/],
  [
    'state',
    /^Apply|^ResourceApply|^Sparse.*Apply|^Resource(Gather|Scatter)|^Scatter|Variable|^Assign|^VarHandle|^ReadVar|Accumulator|^Save|^Restore/,
  ],
  [
    'flow',
    /^NoOp$|Queue|Barrier|^Enter$|^Exit$|^Merge$|^Switch$|^NextIteration$|^LoopCond$|^While|^If$|^ControlTrigger|^_(Source|Sink)|^Assert|^Stage|^_Arg|^_Retval/,
  ],
  [
    'data',
    /Const$|^Identity|^Reshape|^Shape|^Size$|^Rank$|^Fill$|^Zeros|^Ones|^Pack$|^Unpack|^Concat|^Split|Slice|^Gather|^Transpose|^Tile|^Cast$|^Placeholder|^Expand|^Squeeze|^Range|^Pad|^Random|^Truncated|^Multinomial|Decode|^Iterator|^Dataset|^StopGradient|^Snapshot|^Broadcast|^OneHot|^Bitcast/,
  ],
  ['other', /^unknown$|^$/],
];

export function familyOf(op: string): OpFamily {
  return patterns.find(([, pattern]) => pattern.test(op))?.[0] ?? 'compute';
}
