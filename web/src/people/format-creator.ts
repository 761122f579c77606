/** Who created something, as in the audit log: a person, an API key, a federated identity, or `colophon-server admin`. */
export function formatCreator(creator: string, keys: readonly { id: string; name: string }[] = []): string {
  if (creator === 'operator') return 'colophon-server admin'
  if (creator.startsWith('per_')) return 'a deleted person'
  if (creator.startsWith('fid_')) return 'a CI run'
  if (creator.startsWith('key_')) return `API key ${keys.find(({ id }) => id === creator)?.name ?? creator}`
  return creator
}

/** Such as “by ada@example.com”. Empty if the creator is not known. */
export function describeCreator(
  { createdBy, takenOverBy }: { createdBy: string | null; takenOverBy: string | null },
  keys: readonly { id: string; name: string }[] = [],
): string {
  const creator = createdBy === null ? '' : `by ${formatCreator(createdBy, keys)}`
  if (takenOverBy === null) return creator
  return [creator, `taken over by ${formatCreator(takenOverBy, keys)}`].filter((part) => part !== '').join(', ')
}
