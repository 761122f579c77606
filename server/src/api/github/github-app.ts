import Type, { type Static } from 'typebox'
import type { GithubApp } from '../../github/app-store.ts'
import { DateTime } from '../schemas.ts'

export const GithubBaseUrl = Type.String({
  maxLength: 500,
  pattern: '^https?://[^\\s?#@]+$',
  description: 'URL of GitHub, for example `https://github.com`.',
  examples: ['https://github.com'],
})

/** The query parameters that GitHub adds when it redirects the browser back. */
export const GithubRedirectCode = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[!-~]+$',
  description: 'Query parameter `code` of the URL that GitHub redirected the browser to.',
})
export const GithubRedirectState = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Query parameter `state` of the URL that GitHub redirected the browser to. Valid once, for 15 minutes.',
})

export const GithubAppSchema = Type.Object(
  {
    baseUrl: GithubBaseUrl,
    name: Type.String({ description: 'Name of the App on GitHub.' }),
    slug: Type.String({ description: 'Name of the App in the URLs of GitHub.' }),
    url: Type.String({ description: 'URL of the page of the App on GitHub.' }),
    hasWebhook: Type.Boolean({
      description:
        'Whether GitHub notifies Colophon of changes through a webhook. If not, changes are found by polling.',
    }),
    createdAt: DateTime('Time at which the App was created.'),
  },
  {
    $id: 'GithubApp',
    description: 'A GitHub App of this instance.',
    examples: [
      {
        baseUrl: 'https://github.com',
        name: 'Colophon docs.example.com',
        slug: 'colophon-docs-example-com',
        url: 'https://github.com/apps/colophon-docs-example-com',
        hasWebhook: true,
        createdAt: '2026-01-31T12:00:00.000Z',
      },
    ],
  },
)

/** Leaves the secrets out. */
export const toGithubAppResponse = ({
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

export const withoutTrailingSlashes = (url: string): string => url.replace(/\/+$/, '')
