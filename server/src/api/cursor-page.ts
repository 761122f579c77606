/** Cursor pagination, newest first. The cursor is the last id of the previous page. */
import Type from 'typebox'
import { nullable } from './schemas.ts'

const defaultLimit = 50

export const CursorQuery = <const Prefix extends string>(prefix: Prefix) =>
  Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 250,
          default: defaultLimit,
          description: 'Maximum number of items in the response.',
        }),
      ),
      cursor: Type.Optional(
        Type.String({
          pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
          description: '`nextCursor` of the previous page. Omit it for the first page.',
          examples: [`${prefix}_01m7ej5fb2e1et8d6t4k20dq6v`],
        }),
      ),
    },
    { additionalProperties: false },
  )

export const NextCursor = nullable(Type.String(), {
  description: '`cursor` for the next page. Null on the last page.',
  examples: [null],
})

/** Reads one item more than it returns, to find out whether there is a next page. */
export async function readCursorPage<Item extends { id: string }>(
  { limit = defaultLimit, cursor }: { limit?: number; cursor?: string },
  list: (page: { limit: number; before: string | undefined }) => Promise<Item[]>,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const rows = await list({ limit: limit + 1, before: cursor })
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
