import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { OpDef_ArgDef, OpDef_AttrDef, OpDef as OpDefProto } from '#proto/generated/tensorflow/op_def_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { listElements, typeName } from './attr-kind.ts';
import type { ArgDef, AttrDef, AttrKind, OpDef, TypeName } from './op-def.ts';

/** The signature of a function in a graph's library, for nodes whose op is that function. */
export function functionOpDef(signature: OpDefProto): OpDef {
  return {
    name: signature.name,
    inputs: signature.inputArg.map(argDef),
    outputs: signature.outputArg.map(argDef),
    attrs: signature.attr.map(attrDef),
    isStateful: signature.isStateful,
    isDistributedCommunication: signature.isDistributedCommunication,
  };
}

function argDef({ name, type, typeAttr, numberAttr, typeListAttr, isRef }: OpDef_ArgDef): ArgDef {
  return {
    name,
    ...(type !== DataType.DT_INVALID && { type: typeName(type) as TypeName }),
    ...(typeAttr && { typeAttr }),
    ...(numberAttr && { numberAttr }),
    ...(typeListAttr && { typeListAttr }),
    ...(isRef && { isRef }),
  };
}

function attrDef({ name, type, defaultValue, hasMinimum, minimum, allowedValues }: OpDef_AttrDef): AttrDef {
  return {
    name,
    type: type as AttrKind,
    ...(defaultValue && { default: defaultValue }),
    ...(hasMinimum && { minimum: Number(minimum) }),
    ...(allowedValues && { allowed: allowedTexts(allowedValues) }),
  };
}

function allowedTexts({ value }: AttrValue): string[] {
  if (value.case !== 'list') return [];
  return listElements(value.value).map((item) =>
    item instanceof Uint8Array ? new TextDecoder().decode(item) : typeName(item as DataType),
  );
}
