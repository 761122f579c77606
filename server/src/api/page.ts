/** Lists are given page by page, newest first; the cursor is the last id of the page before. */
import Type from 'typebox'
import { nullable } from './schemas.ts'

const defaultLimit = 50

export const pageQuery = <const Prefix extends string>(prefix: Prefix) =>
  Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 250, default: defaultLimit })),
      cursor: Type.Optional(
        Type.String({
          pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
          description: '`nextCursor` of the page before.',
        }),
      ),
    },
    { additionalProperties: false },
  )

export const nextCursor = nullable(Type.String(), { description: 'Null on the last page.' })

/** One more is asked for than is shown: that is how a last page is known. */
export async function readPage<Item extends { id: string }>(
  { limit = defaultLimit, cursor }: { limit?: number; cursor?: string },
  list: (page: { limit: number; before: string | undefined }) => Promise<Item[]>,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const found = await list({ limit: limit + 1, before: cursor })
  const items = found.slice(0, limit)
  return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null }
}
