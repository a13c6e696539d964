/** Machines of one name are told apart by a number: the first one keeps the plain name. */
export function distinctNames<T extends { readonly name: string }>(machines: readonly T[]): readonly (T & { readonly title: string })[] {
  const taken = new Set<string>();
  return machines.map((machine) => {
    let title = machine.name;
    for (let number = 2; taken.has(title); number++) title = `${machine.name} (${number})`;
    taken.add(title);
    return { ...machine, title };
  });
}
