import ts from 'typescript';

/** Where a value goes, until the holes are numbered. */
const HOLE = '\0';
/** A template with more forms than this is kept as one, with a hole where the forms differ. */
const MAX_FORMS = 16;
/** A text with this many words is for people to read. */
const SENTENCE_WORDS = 3;
/** With this many it is a sentence of its own, also where it is a part of a longer one. */
const CLAUSE_WORDS = 4;

/** Is the expression a text by its look, of which templates can be made? */
export function isText(node) {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  if (ts.isParenthesizedExpression(node)) return isText(node.expression);
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(node.left) || isText(node.right));
}

/** All sentences that an expression can give, as templates: `'{0}' is no task`, with a hole for each value. */
export function templatesOf(node) {
  return [...new Set(forms(node).map(numbered))];
}

function numbered(form) {
  let holes = 0;
  return form.replaceAll(HOLE, () => `{${holes++}}`);
}

function forms(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return forms(node.expression);
  if (ts.isConditionalExpression(node)) return [...forms(node.whenTrue), ...forms(node.whenFalse)];
  if (ts.isIdentifier(node)) return constant(node);
  if (ts.isElementAccessExpression(node)) return ts.isIdentifier(node.expression) ? constant(node.expression) : [HOLE];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(forms);
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (starts, { expression, literal }) => product(starts, partsOf(expression), literal.text),
      [node.head.text],
    );
  }
  if (isText(node)) return product(summands(node.left), summands(node.right));
  return isDefault(node) ? [HOLE, ...forms(node.right)] : [HOLE];
}

const isDefault = (node) =>
  ts.isBinaryExpression(node) && [ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken].includes(node.operatorToken.kind);

const summands = (node) => (isText(node) ? forms(node) : partsOf(node));

/** What stands in a template: its own words, or a hole where they are a sentence of their own, or values only. A hole may be empty. */
function partsOf(node) {
  const isValue = (form) => wordsOf(form) >= CLAUSE_WORDS || /^\0(\s*\0)*$/.test(form);
  const parts = new Set(forms(node).map((form) => (isValue(form) ? HOLE : form)));
  return [...parts].filter((part) => part !== '' || !parts.has(HOLE));
}

function product(starts, parts, tail = '') {
  const chosen = starts.length * parts.length > MAX_FORMS ? [HOLE] : parts;
  return starts.flatMap((start) => chosen.map((part) => start + part + tail));
}

/** What a constant of the same file was given, where that is a text or one of several. */
function constant(identifier) {
  for (let scope = identifier.parent; scope; scope = scope.parent) {
    if (isFunctionWith(scope, identifier.text)) break;
    const statements = ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements : [];
    for (const statement of statements) {
      if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
      const found = statement.declarationList.declarations.find(({ name }) => ts.isIdentifier(name) && name.text === identifier.text);
      if (found?.initializer) return forms(found.initializer);
    }
  }
  return [HOLE];
}

function isFunctionWith(node, name) {
  return ts.isFunctionLike(node) && node.parameters.some((parameter) => parameter.name.getText() === name);
}

/** Is it one that people read, by its number of words? */
export const isSentence = (template) => wordsOf(template) >= SENTENCE_WORDS;

/** Words of a template, its holes left out; 0 for what has several lines, and for code. */
export function wordsOf(template) {
  if (/\n|^import |;$| && | \| /.test(template)) return 0;
  return template.replace(/\{\d+\}|\0/g, ' ').match(/(?<=^|[\s'"(])[a-z]+(?:'[a-z]+)?(?=$|[\s'").,:;?!])/gi)?.length ?? 0;
}
