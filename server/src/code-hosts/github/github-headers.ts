/** The version is of the API: GitHub keeps to it, whatever changes later. */
export const githubHeaders = (token: string) => ({
  authorization: `Bearer ${token}`,
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
})
