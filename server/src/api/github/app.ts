import Type, { type Static } from 'typebox'
import type { GithubApp } from '../../github/app-store.ts'
import { DateTime } from '../schemas.ts'

export const GithubBaseUrl = Type.String({
  maxLength: 500,
  pattern: '^https?://[^\\s?#@]+$',
  description: "Of GitHub's pages, like `https://github.com`.",
})

/** As GitHub gives them to who comes back. */
export const ReturnCode = Type.String({ minLength: 1, maxLength: 500, pattern: '^[!-~]+$' })
export const ReturnState = Type.String({ minLength: 1, maxLength: 100, description: 'Good once, for 15 minutes.' })

export const GithubAppSchema = Type.Object(
  {
    baseUrl: GithubBaseUrl,
    name: Type.String(),
    slug: Type.String(),
    url: Type.String({ description: 'Of its page on GitHub.' }),
    hasWebhook: Type.Boolean({ description: 'Else what happens on GitHub is found by asking.' }),
    createdAt: DateTime('When it was made.'),
  },
  { $id: 'GithubApp' },
)

/** Without its secrets. */
export const toResponse = ({
  baseUrl,
  name,
  slug,
  url,
  webhookSecret,
  createdAt,
}: GithubApp): Static<typeof GithubAppSchema> => ({
  baseUrl,
  name,
  slug,
  url,
  hasWebhook: webhookSecret !== null,
  createdAt: createdAt.toISOString(),
})

export const plainBaseUrl = (typed: string): string => typed.replace(/\/+$/, '')
