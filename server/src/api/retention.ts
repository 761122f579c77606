/** Null: kept forever. Undefined: not changed. A shorter retention deletes data for good. */
export const isShorterRetention = (requested: number | null | undefined, current: number | null): boolean =>
  typeof requested === 'number' && (current === null || requested < current)
