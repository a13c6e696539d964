/** Runs in the page: what a person would have to look for. Each check returns one line for each thing found. */
(() => {
  const brackets = /⟦[^⟦⟧]*⟧/g;
  /** Names of the field and of things, which no language translates. */
  const names =
    /Lanflow|TensorFlow|TF_CONFIG|Python|JSON|hostfile|GraphDef|TypeScript|RunMetadata|English|简体中文|Ctrl|Shift|Alt|Esc|LANFLOW_DATA|\b(ps|workers?|canshu|gongzuo|float|GPU|CPU|bundled|tensorflow|inprocess|ms|ns|GB|MB|KB|kB|kb|NaN)\b|CSV|SVG|PNG|µs/g;
  /** Where what is shown is the user's: names, code, addresses, words of programs and tasks. */
  const foreign = [
    'code',
    'pre',
    '.mono',
    '.cm-editor',
    '[data-verbatim]',
    'svg',
    'canvas',
    'textarea',
    'kbd',
    '.svelte-flow__node',
    'option',
    'output',
    '[lang]:not(html)',
  ].join();

  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('[aria-hidden="true"].tooltip');
  const top = () => document.querySelector('dialog[open]') ?? document.body;
  const where = (element) => {
    const own = element.className && typeof element.className === 'string' ? `.${element.className.split(' ')[0]}` : '';
    return `<${element.tagName.toLowerCase()}${own}>`;
  };

  const nameOf = (element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);

  function* texts() {
    const walker = document.createTreeWalker(top(), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.nodeValue?.trim();
      if (text && node.parentElement && isShown(node.parentElement)) yield [node.parentElement, text];
    }
  }

  /** What is left of a text without what a catalogue has given. */
  function remainder(text) {
    let left = text;
    for (let before = ''; before !== left; ) {
      before = left;
      left = left.replace(brackets, ' ');
    }
    return left.replace(names, ' ');
  }

  const isWord = (text) => /\p{L}{3,}/u.test(text) && !/[/_=×]|\d/.test(text);

  /** Texts and accessible names that no catalogue has given, in the pseudo-locale; `known` are the user's own. */
  function hardCoded(known) {
    const found = new Set();
    const isKnown = (text) => known.some((each) => new RegExp(`^(${each})$`).test(text));
    for (const [element, text] of texts()) {
      const whole = element.closest('p, li, td, th, button, a, label, h1, h2, h3, dd, dt, span')?.textContent ?? text;
      // A message with a slot that is a component comes in pieces.
      if (element.closest(foreign) || (/⟦/.test(whole) && /⟧/.test(whole))) continue;
      if (isWord(remainder(text)) && !isKnown(text)) found.add(`${where(element)} ${text}`);
    }
    for (const element of top().querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
      if (!isShown(element) || element.closest('.cm-editor, .svelte-flow__node, .svelte-flow__edge')) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        const text = element.getAttribute(name) ?? '';
        if (isWord(remainder(text)) && !isKnown(text)) found.add(`${where(element)} ${name} ${text}`);
      }
    }
    return [...found];
  }

  const hides = (value) => value === 'hidden' || value === 'clip';
  const scrolls = (value) => value === 'auto' || value === 'scroll';

  /** Texts of the catalogues that are cut, and cannot be read in full by scrolling or pointing at them either. */
  function clipped() {
    const found = new Set();
    for (const [element, text] of texts()) {
      if (element.closest(foreign) || element.closest('.visually-hidden, [data-tooltip], [title], .svelte-flow') || !/⟦|⟧/.test(text))
        continue;
      const range = document.createRange();
      range.selectNodeContents(element);
      const box = range.getBoundingClientRect();
      for (let around = element; around && around !== document.documentElement; around = around.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(around);
        const edge = around.getBoundingClientRect();
        if (hides(overflowX) && (box.right > edge.right + 1.5 || box.left < edge.left - 1.5)) found.add(`across ${where(around)} ${text}`);
        if (hides(overflowY) && (box.bottom > edge.bottom + 3 || box.top < edge.top - 3)) found.add(`down ${where(around)} ${text}`);
        if (scrolls(overflowX) || scrolls(overflowY)) break;
      }
    }
    return [...found];
  }

  const controls = 'a[href], button, input, select, textarea, [tabindex="0"]';

  /** What can be pressed but cannot be brought into sight, or lies under something else; and whatever makes the page wider than its window. */
  function lostControls() {
    const found = new Set();
    for (const root of [document.documentElement, ...document.querySelectorAll('main, dialog[open]')])
      if (root.scrollWidth > root.clientWidth + 1) found.add(`${where(root)} is ${root.scrollWidth} wide in ${root.clientWidth}`);
    for (const control of top().querySelectorAll(controls)) {
      if (!isShown(control) || control.closest('.svelte-flow__viewport, .cm-editor')) continue;
      const target = control.matches('.visually-hidden') ? (control.closest('label') ?? control) : control;
      target.scrollIntoView({ block: 'center', inline: 'center' });
      const { left, right, top: upper, bottom, width, height } = target.getBoundingClientRect();
      if (width < 2 || height < 2) continue;
      if (width <= innerWidth && (right > innerWidth + 1 || left < -1))
        found.add(`${where(target)} ${nameOf(target)} is cut by the window`);
      const [x, y] = [(Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(upper, 0) + Math.min(bottom, innerHeight)) / 2];
      const hit = document.elementFromPoint(x, y);
      if (!hit || !(target.contains(hit) || hit.contains(target) || hit.closest('label')?.contains(target)))
        found.add(`${where(target)} ${nameOf(target)} is under ${hit ? where(hit) : 'nothing'}`);
    }
    return [...found];
  }

  function colourOf(css) {
    const probe = document.createElement('i');
    probe.style.color = css;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }

  /** By a border in the colour of the focus, of its own or laid over it. */
  function outlined(element, accent) {
    const over = getComputedStyle(element, '::after');
    const own = getComputedStyle(element);
    return (
      (over.content !== 'none' && over.borderTopColor === accent) ||
      (own.borderLeftColor === accent && Number.parseFloat(own.borderLeftWidth) >= 2)
    );
  }

  /** Empty if whoever has the focus shows it. */
  function focusUnseen() {
    let { activeElement } = document;
    while (activeElement?.shadowRoot?.activeElement) activeElement = activeElement.shadowRoot.activeElement;
    if (!activeElement || activeElement === document.body) return '';
    const accent = colourOf('var(--accent)');
    for (let element = activeElement, up = 0; element && up < 3; element = element.parentElement, up++) {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) return '';
      if (outlined(element, accent) || [...element.children].some((child) => outlined(child, accent))) return '';
      // It has a frame around itself, outside of its shadow root.
      if (element.matches('.cm-editor')) return '';
    }
    return `${where(activeElement)} ${nameOf(activeElement)}`;
  }

  globalThis.pageChecks = { hardCoded, clipped, lostControls, focusUnseen };
})();
