export type GithubConnection = {
  /** Of the web page, without a trailing slash: `https://github.com`, or a company's own. */
  baseUrl: string
  owner: string
  name: string
  /** Stays when the name changes. Null: not known yet, the name is all there is. */
  repositoryId: number | null
  access:
    | { kind: 'token'; token: string }
    | { kind: 'installation'; appId: number; privateKeyPem: string; installationId: number }
}
