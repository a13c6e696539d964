/** What an op is about, for finding it. */
export const groups = ['math', 'array', 'nn', 'state', 'flow', 'random', 'string', 'image', 'data', 'other'] as const;
export type Group = (typeof groups)[number];

/** First match wins; what nothing matches is mathematics when it is not stateful, else something of its own. */
const patterns: readonly (readonly [Group, RegExp])[] = [
  [
    'data',
    /Dataset|Iterator|Reader|^(Read|Write)File|^MatchingFiles|^Parse|^Decode(?!Bmp|Gif|Jpeg|Png|Wav|AndCrop|Image)|Record|Summary|^Save|^Restore|Lookup|HashTable|^Initialize|Cache|^Serialize|^Deserialize|Generator$|MultiDevice/,
  ],
  [
    'image',
    /Image|Jpeg|Png|Gif|Bmp|^Resize|RGBTo|ToRGB|HSV|Adjust(Contrast|Hue|Saturation)|BoundingBox|NonMaxSuppression|Glimpse|Crop|Wav|Spectrogram|Mfcc/,
  ],
  ['string', /String|Regex|^Substr|Unicode|Base64|^AsString|NGram|Sentencepiece|Fingerprint/],
  ['random', /Random|Truncated(Normal)|Multinomial|Sampler|Stateless|Rng|Candidate/],
  [
    'state',
    /Variable|^Assign|Apply|VarHandle|^VarIs|^Scatter|^ResourceScatter|^ResourceGather|Accumulator|^CountUpTo|^Mutable|TensorArray|^Stack(Push|Pop|V2)|Embedding/,
  ],
  [
    'flow',
    /^NoOp$|Queue|Barrier|^(Ref)?(Enter|Exit|Merge|Switch|NextIteration|Identity|Select)$|^LoopCond|While|^(Stateless)?(If|Case)$|^ControlTrigger|^Assert|Stage|Staging|^Print|PartitionedCall|Collective|^Send|^Recv|^Abort|Function|Nccl|XlaHost|TPU|Infeed|Outfeed|Debug/,
  ],
  [
    'nn',
    /Conv|Pool|^Relu|^Elu|^Selu|^Softmax|^LogSoftmax|^Softplus|^Softsign|^Sigmoid|CrossEntropy|^BiasAdd|BatchNorm|^LRN|Dropout|LSTM|GRU|Rnn|CTC|^InTopK|^TopK|^L2Loss|Dilation|^LeakyRelu|Quantiz/,
  ],
  [
    'array',
    /^Const$|^Identity|Reshape|Shape|^Size$|^Rank$|^Fill$|^(Zeros|Ones)Like|^Pack$|^Unpack$|Concat|Split|Slice|Gather|Transpose|^Tile|^Cast$|Placeholder|^ExpandDims|^Squeeze|^Range$|^LinSpace|Pad|^Reverse|^OneHot|^Bitcast|Broadcast|^Where$|^Unique|^SetDiff|^ListDiff|^InvertPermutation|^DynamicPartition|^DynamicStitch|^Diag|^MatrixDiag|^MatrixSetDiag|^MatrixBandPart|SpaceTo|ToSpace|^Parallel|^Snapshot|^StopGradient|^PreventGradient|^Sparse|Ragged|TensorList|^Batch(To|Matrix(Diag|Set|Band))|^Copy|^EditDistance|^Roll$|^Empty|^DeepCopy/,
  ],
];

export function groupOf(op: string, isStateful: boolean): Group {
  return patterns.find(([, pattern]) => pattern.test(op))?.[0] ?? (isStateful ? 'other' : 'math');
}
