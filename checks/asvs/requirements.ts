/**
 * Whether Colophon meets each requirement of OWASP ASVS 5.0.0 up to level 2. `npm run asvs` writes docs/asvs.md from this file. The text of
 * the requirements is in the standard: https://github.com/OWASP/ASVS/tree/v5.0.0
 */
import { type Chapter, code, document, met, metIf, notApplicable, open, proof, test } from './requirement.ts'

const api = 'server/src/api'
const http = 'server/src/platform/http'
const people = `${api}/people`
const egressTest = 'server/src/platform/egress/egress.test.ts'
const rules = 'docs/security.md'

const allowingProxy = 'a proxy that allows only known hosts (`COLOPHON_EGRESS_PROXY_URL`)'
const requireTls = '`COLOPHON_REQUIRE_TLS=true`, which the compose file and the chart do not support'
const noOauthServer = 'Colophon is not an authorization server or OpenID provider.'
const noResourceServer = 'Colophon accepts no OAuth access tokens: programs use API keys.'
const noWebSockets = 'There are no WebSockets. Events are streamed as server-sent events.'
const noWebRtc = 'There is no WebRTC.'
const noXml = 'Colophon reads no XML except SVG images of a result, which are inspected as text and never resolved.'

export const chapters: readonly Chapter[] = [
  {
    number: 1,
    title: 'Encoding and sanitization',
    requirements: {
      '1.1.1': met(
        'Decode once, before validation',
        'Fastify decodes a URL once; a body is decoded as strict UTF-8 and parsed once, and then validated.',
        test(`${http}/json-body.test.ts`, 'rejects bytes that are not UTF-8'),
        proof('malformed-requests'),
      ),
      '1.1.2': met(
        'Encode output last',
        'React, the HTML helper of the reference, JSON.stringify and query parameters encode where the text is used; nothing is stored encoded.',
        code('server/src/api-reference/html.ts', 'so that escaping cannot be forgotten'),
        test(`${api}/pages/errors.test.ts`, 'escapes an unknown code'),
      ),
      '1.2.1': met(
        'Output encoding for HTML and headers',
        'All HTML comes from React or from a helper that escapes; Node rejects line breaks in headers.',
        test(`${api}/pages/docs.test.ts`, 'shows HTML in Markdown as text and omits comments'),
        test('web/src/shown/safe-markdown.test.ts', 'shows HTML as text'),
        proof('hostile-ingest'),
      ),
      '1.2.2': met(
        'Build URLs safely',
        'Path parameters are encoded by the client; links in Markdown have http, https or mailto only.',
        test('sdk/src/request-url.test.ts', 'resolves a path against the base URL and encodes its parameters'),
        test('web/src/shown/safe-markdown.test.ts', 'links to %s'),
      ),
      '1.2.3': met(
        'Build JavaScript and JSON safely',
        'JSON is only written with a serializer; no script is built from data (Content-Security-Policy without inline scripts).',
        code(`${api}/pages/page-headers.ts`, "script-src 'self'"),
        proof('hostile-ingest'),
      ),
      '1.2.4': met(
        'SQL injection',
        'Kysely and ClickHouse query parameters. Literals in SQL are constants of the code.',
        test(
          `${api}/jobs/agent-jobs.integration.test.ts`,
          'finds jobs by outcome and by literal text in title, id or prompt',
        ),
        test(`${api}/analytics/views.integration.test.ts`, 'rejects the time zone %j'),
        proof('hostile-ingest'),
      ),
      '1.2.5': met(
        'Command injection',
        'Programs are started with a list of arguments. git gets no option, protocol or configuration from data.',
        test('server/src/code-hosts/git/run-git.test.ts', 'ignores all configuration except ours'),
        test('server/src/code-hosts/text/branch-name.test.ts', 'accepts nothing that git rejects'),
        proof('hostile-results'),
      ),
      '1.2.6': notApplicable('LDAP injection', 'There is no LDAP.'),
      '1.2.7': notApplicable('XPath injection', 'There is no XPath.'),
      '1.2.8': notApplicable('LaTeX injection', 'There is no LaTeX.'),
      '1.2.9': met(
        'Text in regular expressions',
        'Searches are literal and done by the databases. The only expression that contains text from a page has the name of a tag, which the tokenizer limits to word characters.',
        test(
          `${api}/jobs/agent-jobs.integration.test.ts`,
          'finds jobs by outcome and by literal text in title, id or prompt',
        ),
        code('server/src/content-gate/mask-code.ts', 'const blockHtml'),
      ),
      '1.3.1': notApplicable(
        'HTML from editors',
        'There is no rich text editor, and HTML that users enter is shown as text.',
      ),
      '1.3.2': met(
        'No evaluation of code',
        'There is no eval. Pages and configurations are parsed, not executed; the agent runs commands only in its sandbox.',
        test('server/src/runner/checks/inside/findings.test.ts', 'is never executed'),
        proof('sandbox-escapes'),
      ),
      '1.3.3': met(
        'Sanitize for dangerous contexts',
        'Text of agents is neutralized before it reaches the code host, and stripped of control sequences before it reaches a terminal.',
        test('server/src/code-hosts/text/neutralize-text.test.ts', 'leaves no active form'),
        test('server/src/runner/sandbox/terminal-text.test.ts', 'leaves no control character in arbitrary input'),
      ),
      '1.3.4': met(
        'Scripts in SVG',
        'An SVG image with anything active is refused. Colophon serves none of them.',
        test('server/src/content-gate/hostile-contents.test.ts', 'refuses the attack: %s'),
        code(
          'server/src/content-gate/inspect-svg.ts',
          'An allow list, because SVG has too many active features to name',
        ),
      ),
      '1.3.5': met(
        'Scriptable Markdown and templates',
        'New active content in a result is refused; Markdown on the dashboard is rendered without HTML and images.',
        test('server/src/content-gate/hostile-contents.test.ts', 'is refused'),
        test(
          'web/src/shown/safe-markdown.test.ts',
          'names images, including those by reference, and does not load them',
        ),
        proof('hostile-results'),
      ),
      '1.3.6': met(
        'Server-side request forgery',
        'Every URL of a user goes through one component: schemes, addresses after resolution, pinned connection, no redirects.',
        proof('ssrf-protection'),
        test('server/src/platform/egress/destination.test.ts', 'allows an allowed host only on its port'),
      ),
      '1.3.7': met(
        'Template injection',
        'Templates for pull requests have a fixed list of variables, which are replaced by neutralized text.',
        test(
          'server/src/code-hosts/text/pull-request-text.test.ts',
          'contains no active form that title and template form together',
        ),
      ),
      '1.3.8': notApplicable('JNDI', 'There is no Java.'),
      '1.3.9': notApplicable('memcache', 'There is no memcache.'),
      '1.3.10': met(
        'Format strings',
        'No format string comes from data: texts are template literals, and log lines are objects.',
        code('server/src/platform/log.ts', 'pino('),
      ),
      '1.3.11': met(
        'Email injection',
        'Recipients are passed as addresses, subjects are one line.',
        test('server/src/platform/mailer.test.ts', 'sends an email unchanged, without header or recipient injection'),
      ),
      '1.4.1': met(
        'Memory-safe language',
        'TypeScript on Node. No native code of our own.',
        code('package.json', '"type": "module"'),
      ),
      '1.4.2': met(
        'Integer overflow',
        'Numbers are validated with ranges; values beyond safe integers are rejected.',
        test(`${http}/validation.test.ts`, 'reports an error at %s for %o'),
        proof('malformed-requests'),
      ),
      '1.4.3': met(
        'Release resources',
        'Memory is managed; connections, queries and files are released, also after errors.',
        test('server/src/code-hosts/bare-repository.integration.test.ts', 'leaves no files behind'),
        test(
          `${api}/analytics/export-views.integration.test.ts`,
          'stops the query and frees its slot if the client disconnects',
        ),
        proof('steady-state'),
      ),
      '1.5.1': notApplicable('External entities in XML', noXml),
      '1.5.2': met(
        'Deserialization',
        'Untrusted data is JSON, which has no types, and is validated by a schema. git bundles are checked before they are unpacked.',
        test('server/src/code-hosts/git/check-pack.test.ts', 'does not crash on arbitrary bytes'),
        test(`${http}/json-body.test.ts`, 'a field named __proto__'),
      ),
    },
  },
  {
    number: 2,
    title: 'Validation and business logic',
    requirements: {
      '2.1.1': met(
        'Rules for input are documented',
        'In the security rules and in the API description.',
        document(rules, 'Input validation'),
      ),
      '2.1.2': met(
        'Rules for combinations are documented',
        'In the security rules.',
        document(rules, 'Input validation'),
      ),
      '2.1.3': met('Limits are documented', 'In the security rules.', document(rules, 'Limits')),
      '2.2.1': met(
        'Validate all input',
        'Every route has schemas that reject unknown fields.',
        test(`${http}/validation.test.ts`, 'truncates the name of an unknown field in the error'),
        proof('malformed-requests'),
      ),
      '2.2.2': met(
        'Validate on the server',
        'The dashboard uses the same API as every client.',
        proof('malformed-requests'),
        proof('api-contract'),
      ),
      '2.2.3': met(
        'Validate combinations',
        'Stores check them in the transaction that writes.',
        test(`${api}/analytics/date-range.test.ts`, 'requires dateTo to be later than dateFrom'),
        test(
          `${api}/projects/settings.integration.test.ts`,
          'rejects a budget above the ceiling of the operator, and caps one that is stored',
        ),
      ),
      '2.3.1': met(
        'Steps in order',
        'Changes of state of a job are decided in one place; a link or OAuth state works once, for its person and purpose.',
        test('server/src/jobs/job-state.test.ts', 'keeps the invariants of the state in every sequence of events'),
        test(
          `${api}/jobs/agent-jobs.integration.test.ts`,
          'approves and rejects only what awaits approval, with the scope for it',
        ),
        test(`${api}/github/github.integration.test.ts`, 'an authorization is valid once, for its person and project'),
      ),
      '2.3.2': met(
        'Limits are enforced',
        'Jobs, messages and spend exactly, over all replicas.',
        proof('hourly-rate-limit'),
        proof('spend-is-bounded'),
        test('server/src/keys/key-store.integration.test.ts', 'a project has at most 500 active keys'),
      ),
      '2.3.3': met(
        'Transactions',
        'An operation and its audit entry are one transaction.',
        test('server/src/audit/audit-store.integration.test.ts', 'leaves no entry when the transaction fails'),
        test(`${api}/projects/settings.integration.test.ts`, 'changes nothing if one of the changes fails'),
      ),
      '2.3.4': met(
        'No double booking',
        'Row locks: rate limits, budgets, claims of turns, links and the last owner hold under concurrency.',
        proof('hourly-rate-limit'),
        proof('spend-is-bounded'),
        test(
          'server/src/people/member-store.integration.test.ts',
          'one owner remains if all owners leave at the same time',
        ),
      ),
      '2.4.1': met(
        'Limits against automation',
        'Rate limits, quotas, budgets and bounded buffers for every function that costs something.',
        test(`${people}/rate-limits.integration.test.ts`, 'counts all addresses of an IPv6 /64 network together'),
        test(
          `${api}/analytics/collect-view.integration.test.ts`,
          'drops the views of a network, or of a project, that sends too many',
        ),
        proof('hostile-ingest'),
      ),
    },
  },
  {
    number: 3,
    title: 'Web frontend',
    requirements: {
      '3.2.1': met(
        'Responses in the wrong context',
        'API responses have nosniff and a policy that allows nothing; exports are attachments.',
        test(
          `${http}/http-server.test.ts`,
          'requires HTTPS for a year if the instance has it, and forbids frames for every response',
        ),
        code(`${api}/analytics/export-views.ts`, 'content-disposition'),
      ),
      '3.2.2': met(
        'Show text as text',
        'React escapes; there is no `dangerouslySetInnerHTML`.',
        test('web/src/shown/safe-markdown.test.ts', 'shows HTML as text'),
      ),
      '3.3.1': met(
        'Secure cookies',
        'All cookies have `Secure` and the prefix `__Host-`.',
        test(`${people}/people.integration.test.ts`, 'the first owner is created once, with a valid token'),
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
      ),
      '3.3.2': met(
        'SameSite',
        '`SameSite=Lax`, because links to the dashboard must work. Changes also need the origin of the dashboard.',
        test(`${people}/people.integration.test.ts`, 'the first owner is created once, with a valid token'),
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
      ),
      '3.3.3': met(
        'Cookies for one host',
        'The prefix `__Host-`.',
        test(`${people}/people.integration.test.ts`, 'the first owner is created once, with a valid token'),
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
      ),
      '3.3.4': met(
        'HttpOnly cookies',
        'Scripts cannot read the session, and no response body contains it.',
        test(`${people}/people.integration.test.ts`, 'the first owner is created once, with a valid token'),
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
      ),
      '3.4.1': metIf(
        '`COLOPHON_HSTS_SUBDOMAINS=true`',
        'Strict-Transport-Security',
        'A year, on every response. With subdomains if the operator says that they all use HTTPS.',
        test(
          `${http}/http-server.test.ts`,
          'requires HTTPS for a year if the instance has it, and forbids frames for every response',
        ),
        test(`${http}/http-server.test.ts`, 'a response to a request that is not HTTP has the same headers'),
      ),
      '3.4.2': met(
        'CORS',
        'No response has CORS headers except the tracking script, which is public. Beacons need none.',
        test(
          `${api}/analytics/collect-view.integration.test.ts`,
          'rejects other origins if the project lists allowed origins',
        ),
        test(`${people}/people.integration.test.ts`, 'rejects cross-origin requests that change something'),
      ),
      '3.4.3': met(
        'Content-Security-Policy',
        "`default-src 'none'`, `base-uri 'none'`, scripts of the own origin, styles with a nonce.",
        code(`${api}/pages/page-headers.ts`, "base-uri 'none'"),
        test(`${api}/pages/docs.test.ts`, 'serves a page as HTML with the headers of the other pages'),
      ),
      '3.4.4': met(
        'nosniff',
        'On every response, also to what is not HTTP.',
        test(`${http}/http-server.test.ts`, 'a response to a request that is not HTTP has the same headers'),
      ),
      '3.4.5': met(
        'Referrer policy',
        '`no-referrer` on all pages; the one with a form to GitHub sends its origin only.',
        code(`${api}/pages/page-headers.ts`, "'referrer-policy': 'no-referrer'"),
        test(`${api}/pages/docs.test.ts`, 'serves a page as HTML with the headers of the other pages'),
      ),
      '3.4.6': met(
        'frame-ancestors',
        'On every response.',
        test(
          `${http}/http-server.test.ts`,
          'requires HTTPS for a year if the instance has it, and forbids frames for every response',
        ),
      ),
      '3.5.1': met(
        'Request forgery',
        'Changes with a session need `Sec-Fetch-Site: same-origin`, or the own `Origin`.',
        test(`${people}/people.integration.test.ts`, 'rejects cross-origin requests that change something'),
      ),
      '3.5.2': met(
        'Requests without preflight',
        'The check does not rely on preflights. Bodies must be application/json.',
        test(`${people}/people.integration.test.ts`, 'rejects cross-origin requests that change something'),
        test(`${http}/http-server.test.ts`, 'rejects bodies that it cannot parse, with a specific code'),
      ),
      '3.5.3': met(
        'Safe methods change nothing',
        'No GET route changes anything but the time of the last use. The callback of the OpenID provider is bound to a state.',
        test(`${people}/provider.integration.test.ts`, 'rejects a callback without a sign-in in progress'),
        proof('access-control'),
      ),
      '3.5.4': met(
        'A host name for each application',
        'An instance needs its own host name; a path prefix is not supported.',
        document('docs/operations/tls-and-proxies.md', 'TLS and reverse proxies'),
      ),
      '3.5.5': notApplicable('postMessage', 'The dashboard and the tracking script do not use it.'),
      '3.7.1': met(
        'Supported client technologies',
        'HTML, CSS and JavaScript modules only.',
        code('web/package.json', '"react"'),
      ),
      '3.7.2': met(
        'Redirects to other hosts',
        'Only to the OpenID provider and the GitHub hosts of the settings. `returnTo` must be a path.',
        code(
          `${people}/session-routes.ts`,
          'The pattern rejects everything that a browser would resolve to another site',
        ),
        proof('malformed-requests'),
      ),
    },
  },
  {
    number: 4,
    title: 'API and web service',
    requirements: {
      '4.1.1': met(
        'Content types',
        'Every response with a body has its type, and text has `charset=utf-8`.',
        test(
          `${http}/http-server.test.ts`,
          'turns an unexpected error into one log line and a 500 that reveals nothing',
        ),
        proof('malformed-requests'),
      ),
      '4.1.2': met(
        'Redirect only pages to HTTPS',
        'Nothing is redirected: neither Colophon nor the proxies of the documentation serve plain HTTP.',
        code('deploy/compose.tls.yml', 'Port 80 is not published'),
        document('docs/operations/tls-and-proxies.md', 'TLS and reverse proxies'),
      ),
      '4.1.3': met(
        'Headers of proxies',
        '`X-Forwarded-*` count only from `COLOPHON_TRUSTED_PROXIES`; the request ID of a client is ignored.',
        test(
          `${http}/http-server.test.ts`,
          'reports a reverse proxy whose X-Forwarded-For is ignored, but not a client on the internet that sends it',
        ),
        proof('access-control'),
      ),
      '4.2.1': met(
        'Request smuggling',
        "Node's strict parser rejects ambiguous lengths.",
        test(`${http}/http-server.test.ts`, 'whose end a proxy could see elsewhere'),
        proof('malformed-requests'),
      ),
      '4.3.1': notApplicable('GraphQL: costs', 'There is no GraphQL.'),
      '4.3.2': notApplicable('GraphQL: introspection', 'There is no GraphQL.'),
      '4.4.1': notApplicable('WebSocket: TLS', noWebSockets),
      '4.4.2': notApplicable('WebSocket: origin', noWebSockets),
      '4.4.3': notApplicable('WebSocket: tokens', noWebSockets),
      '4.4.4': notApplicable('WebSocket: session', noWebSockets),
    },
  },
  {
    number: 5,
    title: 'Files',
    requirements: {
      '5.1.1': met('Accepted files are documented', 'In the security rules.', document(rules, 'Files')),
      '5.2.1': met(
        'File size',
        'Every body and result has a maximum, which is checked while it is read.',
        test(
          `${api}/analytics/ingest-views.integration.test.ts`,
          'too many requests, a body that is too large, and a gzip bomb',
        ),
        test(
          'server/src/content-gate/allow-list/allow-list.test.ts',
          'limits the number of files and the size of new content',
        ),
        proof('hostile-results'),
      ),
      '5.2.2': open(
        'File type and content',
        'Extensions are on an allow list, and pages and SVG images are parsed. The contents of other images are not compared with their extension.',
      ),
      '5.2.3': met(
        'Unpacked size',
        'Bundles, gzip bodies and git objects have limits while they are unpacked.',
        test(
          'server/src/code-hosts/git/run-git.test.ts',
          'limits memory: a delta of a few bytes that expands to a gibibyte',
        ),
        test('server/src/gateway/git-proxy.integration.test.ts', 'rejects a body that is too large, compressed or not'),
      ),
      '5.3.1': met(
        'Uploaded files are not executed',
        'No public folder contains uploaded files. Results are opened in a bare repository.',
        code('server/src/code-hosts/bare-repository.ts', 'The result is never checked out'),
        proof('hostile-results'),
      ),
      '5.3.2': met(
        'Paths of files',
        'Requests never name a file: pages, docs and assets are looked up in a list that was read at startup. Names in results are checked and stay in git.',
        test(`${api}/pages/docs.test.ts`, 'serves README.md as the index, and only there'),
        test('server/src/content-gate/allow-list/allow-list.test.ts', 'refuses names that are not UTF-8'),
      ),
      '5.4.1': met(
        'Names of downloads',
        'The one download, the export of page views, has a name that the server composes.',
        code(`${api}/analytics/export-views.ts`, 'content-disposition'),
      ),
      '5.4.2': met(
        'Encoding of file names',
        'The name contains dates only.',
        code(`${api}/analytics/export-views.ts`, 'content-disposition'),
      ),
      '5.4.3': notApplicable(
        'Virus scans',
        'Colophon serves no files that others created: a result becomes a pull request, or a diff that is shown as text.',
      ),
    },
  },
  {
    number: 6,
    title: 'Authentication',
    requirements: {
      '6.1.1': met(
        'Defenses against guessing are documented',
        'Delays per account and network, and why nobody can be locked out.',
        document('docs/people.md', 'Failed sign-ins'),
        document('docs/decisions/accounts.md', 'Failed sign-ins'),
      ),
      '6.1.2': met(
        'Words that passwords must not contain are documented',
        'Name, email address, and Colophon.',
        document(rules, 'Signing in'),
      ),
      '6.1.3': met('All ways to sign in are documented', 'With what each requires.', document(rules, 'Signing in')),
      '6.2.1': met(
        'Length of passwords',
        'At least 12 characters.',
        code('server/src/people/passwords.ts', 'minPasswordCharacters = 12'),
        proof('malformed-requests'),
      ),
      '6.2.2': met(
        'Change the password',
        'On the account page.',
        test(
          `${people}/people.integration.test.ts`,
          'changing the password ends other sessions, and a one-time link sets a new password',
        ),
      ),
      '6.2.3': met(
        'Changing needs the current password',
        'The route requires both.',
        test(
          `${people}/people.integration.test.ts`,
          'changing the password ends other sessions, and a one-time link sets a new password',
        ),
      ),
      '6.2.4': met(
        'Common passwords',
        '43,940 common passwords with at least 12 characters are rejected.',
        test(
          'server/src/people/password-rules.test.ts',
          'knows more common passwords of the required length than the 3000',
        ),
        test(
          `${people}/people.integration.test.ts`,
          'a password that is easy to guess is rejected wherever one is set',
        ),
      ),
      '6.2.5': met(
        'No rules about characters',
        'Only that there are five different ones.',
        code('server/src/people/password-rules.ts', 'minDistinctCharacters = 5'),
        document('docs/decisions/accounts.md', 'Passwords'),
      ),
      '6.2.6': met(
        'Masked password fields',
        'Of type password, with a button that shows it.',
        code('web/src/people/new-password-input.tsx', 'PasswordInput'),
      ),
      '6.2.7': met(
        'Paste and password managers',
        'Nothing prevents pasting; fields have `autocomplete`.',
        code('web/src/people/new-password-input.tsx', 'autoComplete="new-password"'),
        code('web/src/people/change-password.tsx', 'autoComplete="current-password"'),
      ),
      '6.2.8': met(
        'Passwords are used as entered',
        'Not truncated, and case matters. Unicode forms of the same character are equal (NFKC), as NIST SP 800-63B recommends.',
        test('server/src/people/passwords.test.ts', 'verifies a password regardless of its Unicode form'),
      ),
      '6.2.9': met(
        'Long passwords',
        'Up to 128 characters.',
        code('server/src/people/passwords.ts', 'maxPasswordCharacters = 128'),
      ),
      '6.2.10': met(
        'No expiry of passwords',
        'A password stays valid until it is replaced.',
        document('docs/people.md', 'Passwords'),
      ),
      '6.2.11': met(
        'The documented words are rejected',
        'Passwords that consist mostly of them.',
        test('server/src/people/password-rules.test.ts', 'which is mostly about the person or Colophon'),
        test(
          `${people}/people.integration.test.ts`,
          'a password that is easy to guess is rejected wherever one is set',
        ),
      ),
      '6.2.12': met(
        'Breached passwords',
        'The list comes from breaches: those with at least 12 characters among the million most common ones. It is part of Colophon, because an instance may have no way to a service on the internet.',
        test(
          'server/src/people/password-rules.test.ts',
          'knows more common passwords of the required length than the 3000',
        ),
        document('docs/decisions/accounts.md', 'Passwords'),
      ),
      '6.3.1': met(
        'Defenses against guessing',
        'Growing delays, counted over all replicas before the password is checked.',
        test(
          `${people}/sign-in-guard.integration.test.ts`,
          'wrong passwords for one account from one network have to wait longer and longer, on all replicas',
        ),
        test(
          `${people}/sign-in-guard.integration.test.ts`,
          'a correct password is accepted from a known network while strangers guess',
        ),
      ),
      '6.3.2': met(
        'No default accounts',
        'The first account is created with a one-time link.',
        test(`${people}/people.integration.test.ts`, 'the first owner is created once, with a valid token'),
      ),
      '6.3.3': metIf(
        '`COLOPHON_REQUIRE_SECOND_FACTOR=true`, and a second factor at the OpenID provider',
        'Second factor',
        'Passkeys and TOTP. Off by default, because it needs every person to set one up; a project can require it too.',
        test(
          `${people}/second-factor.integration.test.ts`,
          'an instance can require it: until it is set up, a person reaches nothing else',
        ),
      ),
      '6.3.4': met(
        'No other way in',
        'Every route declares its access, and better-auth is not reachable except for the callback.',
        test(
          `${people}/provider.integration.test.ts`,
          'the callback route does not expose other routes of better-auth',
        ),
        proof('access-control'),
      ),
      '6.4.1': met(
        'Initial secrets',
        'Links with 256 random bits, for one use, within 24 hours or 7 days; the person chooses the password.',
        test(`${people}/people.integration.test.ts`, 'an invitation can be accepted once, by the person it is for'),
        test(
          `${people}/membership.integration.test.ts`,
          'expired invitations do not count as open, and everything expired is deleted',
        ),
      ),
      '6.4.2': met('No secret questions', 'There are none.', document('docs/people.md', 'Reset a password')),
      '6.4.3': met(
        'Forgotten password',
        'An administrator creates a one-time link. A second factor is still asked for.',
        test(`${people}/second-factor.integration.test.ts`, 'a link that sets a new password does not replace it'),
      ),
      '6.4.4': met(
        'Lost second factor',
        'Recovery codes, or an administrator who verifies the person as for the invitation.',
        document(rules, 'Signing in'),
        test(
          `${people}/second-factor.integration.test.ts`,
          'removing it needs the password and a recent sign-in, and an administrator can remove it',
        ),
      ),
      '6.5.1': met(
        'Codes work once',
        'Codes of the app, recovery codes and links.',
        test(
          `${people}/second-factor.integration.test.ts`,
          'after it is confirmed, signing in needs a code of the authenticator app, which works once',
        ),
        test(
          `${people}/second-factor.integration.test.ts`,
          'a recovery code works once, and new ones replace the old ones',
        ),
      ),
      '6.5.2': met(
        'Stored recovery codes',
        'SHA-256 of 138 random bits.',
        test(
          `${people}/second-factor.integration.test.ts`,
          'after it is confirmed, signing in needs a code of the authenticator app, which works once',
        ),
      ),
      '6.5.3': met(
        'Random codes and seeds',
        'From the random generator of the operating system.',
        code('server/src/people/better-auth.ts', 'randomInt(recoveryAlphabet.length)'),
        code('server/src/people/link-token.ts', 'randomBytes(32)'),
      ),
      '6.5.4': met(
        'Entropy of codes',
        'Recovery codes have 138 bits.',
        code('server/src/people/better-auth.ts', 'A code has 138 random bits'),
      ),
      '6.5.5': met(
        'Lifetime of codes',
        'Steps of 30 seconds (RFC 6238). The steps before and after are accepted for clocks that differ, each code once.',
        test(
          `${people}/second-factor.integration.test.ts`,
          'after it is confirmed, signing in needs a code of the authenticator app, which works once',
        ),
      ),
      '6.6.1': notApplicable('Codes by phone', 'No code is sent by phone or SMS.'),
      '6.6.2': notApplicable('Out-of-band codes are bound to a sign-in', 'No code is sent out of band to sign in.'),
      '6.6.3': notApplicable('Guessing of out-of-band codes', 'No code is sent out of band to sign in.'),
      '6.8.1': met(
        'Identities of several providers',
        'There is one provider. An account at it is linked by its subject, never by its email address.',
        test(
          `${people}/provider.integration.test.ts`,
          'an account at the provider with the same email address gives no access until it is linked',
        ),
      ),
      '6.8.2': met(
        'Signatures of assertions',
        'The ID token is verified with the keys of the provider. Without keys, nobody can sign in with it.',
        code('server/src/people/better-auth.ts', 'requireIdTokenVerification: true'),
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '6.8.3': notApplicable('SAML assertions', 'There is no SAML.'),
      '6.8.4': metIf(
        '`COLOPHON_OIDC_SECOND_FACTOR_VALUES`, if a second factor is required',
        'Strength and time from the provider',
        '`auth_time` decides whether a sign-in is recent; without it, none is. Sign-ins without the required `amr` or `acr` are rejected.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
        test(
          `${people}/openid-rules.integration.test.ts`,
          'a silent sign-in is not recent: for that, the provider has to ask for the credentials again',
        ),
      ),
    },
  },
  {
    number: 7,
    title: 'Session management',
    requirements: {
      '7.1.1': met(
        'Lifetimes are documented',
        'With the reasons for differences from NIST SP 800-63B.',
        document(rules, 'Sessions'),
      ),
      '7.1.2': met('Concurrent sessions are documented', 'Any number, one per browser.', document(rules, 'Sessions')),
      '7.1.3': met(
        'Federated sessions are documented',
        'Of the OpenID provider and Colophon.',
        document(rules, 'Sessions'),
      ),
      '7.2.1': met(
        'Sessions are verified by the server',
        'In PostgreSQL, at every request.',
        test(
          `${people}/people.integration.test.ts`,
          'an ended session is invalid, and signing in again ends the previous session',
        ),
      ),
      '7.2.2': met(
        'Dynamic session tokens',
        'Created at each sign-in.',
        test(
          `${people}/people.integration.test.ts`,
          'an ended session is invalid, and signing in again ends the previous session',
        ),
      ),
      '7.2.3': met(
        'Random session tokens',
        '190 random bits of better-auth, signed.',
        test(`${people}/people.integration.test.ts`, 'the first owner is created once, with a valid token'),
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
      ),
      '7.2.4': met(
        'A new token at each sign-in',
        'The previous session of the browser ends, also with the provider.',
        test(
          `${people}/people.integration.test.ts`,
          'an ended session is invalid, and signing in again ends the previous session',
        ),
        test(
          `${people}/openid-rules.integration.test.ts`,
          'a silent sign-in is not recent: for that, the provider has to ask for the credentials again',
        ),
      ),
      '7.3.1': met(
        'Inactivity',
        '24 hours by default.',
        test(
          `${people}/sessions.integration.test.ts`,
          'a session that is not used for the configured time ends, and each use extends it',
        ),
      ),
      '7.3.2': met(
        'Absolute lifetime',
        '7 days, which no use extends.',
        code('server/src/people/better-auth.ts', 'disableSessionRefresh: true'),
        code('server/src/people/better-auth.ts', 'sessionSeconds = 7 * 24 * 3600'),
      ),
      '7.4.1': met(
        'Sign-out ends the session',
        'It is deleted in PostgreSQL.',
        test(
          `${people}/people.integration.test.ts`,
          'an ended session is invalid, and signing in again ends the previous session',
        ),
      ),
      '7.4.2': met(
        'Disabled people',
        'All sessions end at once, on all replicas.',
        test(
          `${people}/accounts.integration.test.ts`,
          'has no access at once, on every replica, and nothing of others stops',
        ),
        proof('leaving'),
      ),
      '7.4.3': met(
        'End other sessions after a change',
        'A new password ends them; on the account page, one button ends them after any other change.',
        test(
          `${people}/people.integration.test.ts`,
          'changing the password ends other sessions, and a one-time link sets a new password',
        ),
        code('web/src/people/sessions.tsx', 'End all other sessions'),
      ),
      '7.4.4': met('Visible sign-out', 'In the menu of every page.', code('web/src/app/person-menu.tsx', 'Sign out')),
      '7.4.5': met(
        'Administrators end sessions',
        'Operators on the dashboard, administrators on the command line.',
        test(`${people}/accounts.integration.test.ts`, 'ends all sessions of a person'),
        test(
          'server/src/main/admin/admin-people.integration.test.ts',
          'lists, disables, enables and deletes people, ends their sessions',
        ),
      ),
      '7.5.1': met(
        'Reauthenticate to change sign-in data',
        'The second factor and linked accounts need a recent sign-in. The email address cannot be changed.',
        test(
          `${people}/second-factor.integration.test.ts`,
          'removing it needs the password and a recent sign-in, and an administrator can remove it',
        ),
        test(
          `${people}/provider.integration.test.ts`,
          'an account at the provider with the same email address gives no access until it is linked',
        ),
      ),
      '7.5.2': met(
        'People see and end their sessions',
        'With a recent sign-in.',
        test(
          `${people}/sessions.integration.test.ts`,
          'a person sees their sessions with device, coarse network and last use, and ends one of them',
        ),
      ),
      '7.6.1': met(
        'Lifetimes with a provider',
        'As documented; a recent sign-in needs the credentials at the provider.',
        document(rules, 'Sessions'),
        test(
          `${people}/openid-rules.integration.test.ts`,
          'a silent sign-in is not recent: for that, the provider has to ask for the credentials again',
        ),
      ),
      '7.6.2': met(
        'No session without an action',
        'A sign-in with the provider starts with a request of our own page, whose state the callback needs.',
        test(`${people}/provider.integration.test.ts`, 'rejects a callback without a sign-in in progress'),
      ),
    },
  },
  {
    number: 8,
    title: 'Authorization',
    requirements: {
      '8.1.1': met(
        'Rules for functions and data are documented',
        'Every route with every role.',
        document('docs/roles.md', 'All endpoints'),
        document(rules, 'Authorization'),
      ),
      '8.1.2': met('Rules for fields are documented', 'In the security rules.', document(rules, 'Authorization')),
      '8.2.1': met(
        'Access to functions',
        'A route without declared access cannot be registered.',
        test(`${http}/register-route.test.ts`, 'a route that does not declare its access cannot be registered'),
        proof('access-control'),
        proof('role-permissions'),
      ),
      '8.2.2': met(
        'Access to data',
        'Everything of another project is a 404.',
        proof('access-control'),
        test(`${api}/keys/api-key.integration.test.ts`, 'of a key of another project is a 404 and does nothing'),
      ),
      '8.2.3': met(
        'Access to fields',
        'Secrets are never returned, and read-only fields are rejected.',
        test(
          `${api}/repository/repository.integration.test.ts`,
          'connects a repository, hides its secrets, and changes its settings',
        ),
        test(`${api}/projects/project.integration.test.ts`, 'names a field that cannot be changed'),
        test(
          `${api}/models/list-models.integration.test.ts`,
          'lists the models that a project may use, without their provider',
        ),
      ),
      '8.3.1': met(
        'Enforced by the server',
        'In one function for all routes.',
        code(`${api}/authorize.ts`, 'export async function authorize'),
        proof('access-control'),
      ),
      '8.4.1': met(
        'Separation of projects',
        'No operation of a project affects another one, in access or in load.',
        proof('access-control'),
        proof('role-permissions'),
        test('server/src/keys/key-store.integration.test.ts', 'does not let a key create keys in another project'),
      ),
    },
  },
  {
    number: 9,
    title: 'Self-contained tokens',
    requirements: {
      '9.1.1': met(
        'Signatures are verified',
        'The only such tokens that Colophon accepts are ID tokens of the OpenID provider.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '9.1.2': met(
        'Allowed algorithms',
        'Those that the provider announces, and only with its public keys: never none, never a shared key.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '9.1.3': met(
        'Trusted keys',
        'The JWKS of the configured issuer. Keys and URLs in a token are ignored.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '9.2.1': met(
        'Validity in time',
        '`exp` and `nbf`.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '9.2.2': met(
        'Type of token',
        'Only the `id_token` of a token response is used, with the nonce of its sign-in. Colophon accepts no JWT for API calls.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '9.2.3': met(
        'Audience',
        '`aud` must be the client ID.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '9.2.4': notApplicable(
        'Audiences of issued tokens',
        'Colophon issues no tokens to others. The JWT of a GitHub App is for GitHub only, with a key of its own.',
      ),
    },
  },
  {
    number: 10,
    title: 'OAuth and OpenID Connect',
    requirements: {
      '10.1.1': met(
        'Tokens stay in the backend',
        'Tokens of the provider are encrypted in PostgreSQL and never sent to a browser; a GitHub user token is used once and revoked.',
        code('server/src/people/better-auth.ts', 'encryptOAuthTokens: true'),
        test(
          `${api}/github/github.integration.test.ts`,
          'connects only repositories that the person can write to and the App has access to',
        ),
      ),
      '10.1.2': met(
        'Only answers to own requests',
        'State, nonce and PKCE verifier are random, for one sign-in of one browser.',
        test(`${people}/provider.integration.test.ts`, 'rejects a callback without a sign-in in progress'),
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
        test(`${api}/github/github.integration.test.ts`, 'an authorization is valid once, for its person and project'),
      ),
      '10.2.1': met(
        'Forged callbacks',
        'PKCE and state with the provider, state with GitHub.',
        test(`${people}/openid-tokens.integration.test.ts`, 'sends a state, a nonce and a PKCE challenge'),
      ),
      '10.2.2': met(
        'Mix-up of servers',
        'The OpenID provider and GitHub have different callbacks; `iss` is compared if the provider sends it.',
        test(
          `${people}/silent-provider.integration.test.ts`,
          'accepts only a provider that names the configured issuer',
        ),
        test(
          'server/src/github/stores.integration.test.ts',
          'accepts a state once, for the same person and project, until it expires',
        ),
      ),
      '10.3.1': notApplicable('Audience of access tokens', noResourceServer),
      '10.3.2': notApplicable('Claims of access tokens', noResourceServer),
      '10.3.3': notApplicable('Identity in access tokens', noResourceServer),
      '10.3.4': notApplicable('Strength in access tokens', noResourceServer),
      '10.4.1': notApplicable('Server: redirect URIs', noOauthServer),
      '10.4.2': notApplicable('Server: codes work once', noOauthServer),
      '10.4.3': notApplicable('Server: lifetime of codes', noOauthServer),
      '10.4.4': notApplicable('Server: grants', noOauthServer),
      '10.4.5': notApplicable('Server: replayed refresh tokens', noOauthServer),
      '10.4.6': notApplicable('Server: PKCE', noOauthServer),
      '10.4.7': notApplicable('Server: client registration', noOauthServer),
      '10.4.8': notApplicable('Server: expiry of refresh tokens', noOauthServer),
      '10.4.9': notApplicable('Server: revocation', noOauthServer),
      '10.4.10': notApplicable('Server: client authentication', noOauthServer),
      '10.4.11': notApplicable('Server: scopes', noOauthServer),
      '10.5.1': met(
        'Replayed ID tokens',
        'The nonce of the sign-in.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '10.5.2': met(
        'Identity by subject',
        '`sub`, never the email address.',
        test(
          `${people}/provider.integration.test.ts`,
          'an account at the provider with the same email address gives no access until it is linked',
        ),
        code('server/src/people/better-auth.ts', "return profile.sub ?? ''"),
      ),
      '10.5.3': met(
        'Metadata of the issuer',
        'A document that names another issuer is rejected, apart from a slash at the end.',
        test(
          `${people}/silent-provider.integration.test.ts`,
          'accepts only a provider that names the configured issuer',
        ),
      ),
      '10.5.4': met(
        'Audience of ID tokens',
        '`aud` must be the client ID.',
        test(`${people}/openid-tokens.integration.test.ts`, 'rejects an ID token that'),
      ),
      '10.5.5': notApplicable('Back-channel logout', 'It is not supported.'),
      '10.6.1': notApplicable('Provider: response modes', noOauthServer),
      '10.6.2': notApplicable('Provider: forced logout', noOauthServer),
      '10.7.1': notApplicable('Consent to each request', noOauthServer),
      '10.7.2': notApplicable('Contents of a consent', noOauthServer),
      '10.7.3': notApplicable('Review of consents', noOauthServer),
    },
  },
  {
    number: 11,
    title: 'Cryptography',
    requirements: {
      '11.1.1': met('Policy for keys', 'Who creates, has and replaces each of them.', document(rules, 'Cryptography')),
      '11.1.2': met('Inventory', 'Of algorithms, keys and what they protect.', document(rules, 'Cryptography')),
      '11.2.1': met(
        'Known implementations',
        "Node's OpenSSL, `@hpke/core`, `jose` and `@noble/ciphers`.",
        code('server/src/platform/sealed-secrets/sealed-secret.ts', '@hpke/core'),
        test('server/src/platform/sealed-secrets/sealed-secret.test.ts', 'opens to the text that was sealed'),
      ),
      '11.2.2': met(
        'Replaceable algorithms and keys',
        'Sealed credentials name their key and can be sealed again; password hashes name their algorithm and cost.',
        test(
          'server/src/platform/sealed-secrets/sealed-secret.test.ts',
          'reseals a secret of an older key, so that the older key can be removed',
        ),
        code('server/src/people/passwords.ts', 'so that the cost can be raised later while old hashes stay valid'),
      ),
      '11.2.3': open(
        '128 bits of security',
        'GitHub issues App keys with RSA-2048 (112 bits), and an OpenID provider may sign with RSA-2048. Everything that Colophon chooses has at least 128 bits.',
      ),
      '11.3.1': met(
        'No weak modes and padding',
        'AES-GCM and XChaCha20-Poly1305 only.',
        document(rules, 'Cryptography'),
      ),
      '11.3.2': met(
        'Approved ciphers',
        'AES-256-GCM for credentials; XChaCha20-Poly1305 of better-auth for TOTP secrets.',
        code('server/src/platform/sealed-secrets/sealed-secret.ts', 'new Aes256Gcm()'),
        document(rules, 'Cryptography'),
      ),
      '11.3.3': met(
        'Authenticated encryption',
        'A changed, truncated or moved credential does not open.',
        test('server/src/platform/sealed-secrets/sealed-secret.test.ts', 'does not open with any one bit changed'),
        test('server/src/platform/sealed-secrets/sealed-secret.test.ts', 'opens only with its own binding'),
      ),
      '11.4.1': met(
        'Approved hashes',
        'SHA-256. SHA-1 only where git, TOTP and the signatures of Vercel define it.',
        document(rules, 'Cryptography'),
      ),
      '11.4.2': met(
        'Password hashing',
        'argon2id with 19 MiB and 2 passes, as OWASP recommends.',
        code('server/src/people/passwords.ts', 'memoryKib: 19 * 1024, passes: 2'),
        test('server/src/people/passwords.test.ts', 'verifies a password regardless of its Unicode form'),
      ),
      '11.4.3': met(
        'Hashes for integrity',
        'SHA-256 for signatures, releases, bindings and idempotency.',
        test('release/provenance.test.ts', 'the checksums are those that sha256sum accepts'),
        code('server/src/code-hosts/webhook-signature.ts', "createHmac('sha256'"),
      ),
      '11.4.4': notApplicable('Keys from passwords', 'No key is derived from a password.'),
      '11.5.1': met(
        'Random values',
        'Keys, tokens, links, states and secrets have at least 128 bits of the operating system; UUIDs are used only as names.',
        test('server/src/keys/key-format.test.ts', 'random characters are evenly distributed'),
        code('server/src/people/link-token.ts', 'randomBytes(32)'),
      ),
      '11.6.1': met(
        'Key generation and signatures',
        'X25519 keys of OpenSSL; points of low order are rejected.',
        test(
          'server/src/platform/sealed-secrets/sealed-secret.test.ts',
          'does not open when its encapsulated key is a low-order point',
        ),
        test(
          'server/src/code-hosts/github/app-jwt.test.ts',
          'is signed with the key of the App, and valid from one minute ago for ten minutes',
        ),
      ),
    },
  },
  {
    number: 12,
    title: 'Secure communication',
    requirements: {
      '12.1.1': met('TLS versions', '1.2 and 1.3.', test(`${http}/http-server.test.ts`, 'speaks TLS 1.2 and 1.3 only')),
      '12.1.2': met(
        'Cipher suites',
        'Those of Node: AES-GCM and ChaCha20 with forward secrecy first.',
        test(`${http}/http-server.test.ts`, 'speaks TLS 1.2 and 1.3 only'),
      ),
      '12.1.3': notApplicable('Client certificates', 'Nobody is authenticated with a client certificate.'),
      '12.2.1': met(
        'TLS for clients',
        'The public URL must be HTTPS, except on the same machine. Cookies are `Secure`.',
        test('server/src/platform/config.test.ts', 'rejects an unencrypted public URL, except on loopback'),
        proof('containers'),
      ),
      '12.2.2': metIf(
        'a certificate of a public authority, for example with `compose.tls.yml`',
        'Public certificates',
        'Caddy gets them from Let’s Encrypt.',
        document('docs/operations/tls-and-proxies.md', 'TLS and reverse proxies'),
        code('deploy/compose.tls.yml', "Let's Encrypt"),
      ),
      '12.3.1': metIf(
        requireTls,
        'Encrypted connections',
        'A process refuses to start if a connection to another machine is not encrypted. There is no fallback.',
        test(
          'server/src/platform/config.test.ts',
          'rejects every unencrypted connection to another machine if TLS is required',
        ),
        test(
          'server/src/platform/mailer.test.ts',
          'sends nothing without TLS, except to the same machine or if the URL says so',
        ),
      ),
      '12.3.2': met(
        'Certificates are verified',
        'By every client; additional authorities can be added, verification cannot be turned off.',
        test(egressTest, 'rejects a certificate of an unknown authority, and a server without TLS'),
        test('server/src/main/processes/runner.integration.test.ts', 'trusts only the given CA of a gateway'),
        test(
          'server/src/code-hosts/github/private-ca.integration.test.ts',
          'connects only with the certificate authority',
        ),
      ),
      '12.3.3': metIf(
        requireTls,
        'Encryption between own services',
        '`api` and the gateway serve HTTPS themselves; runners refuse a gateway without it.',
        test(
          'server/src/platform/config.test.ts',
          'rejects every unencrypted connection to another machine if TLS is required',
        ),
      ),
      '12.3.4': metIf(
        requireTls,
        'Trusted certificates between own services',
        '`COLOPHON_GATEWAY_CA_BUNDLE` for the gateway, `sslmode=verify-full` for PostgreSQL.',
        test('server/src/main/processes/runner.integration.test.ts', 'trusts only the given CA of a gateway'),
      ),
    },
  },
  {
    number: 13,
    title: 'Configuration',
    requirements: {
      '13.1.1': met(
        'Connections are documented',
        'From where, to where, and who chooses it.',
        document(rules, 'Connections'),
      ),
      '13.2.1': open(
        'Authentication between services',
        'Runner and attempt tokens expire. PostgreSQL and ClickHouse are accessed with passwords that do not change by themselves, Temporal with an API key, and in the compose file without one.',
      ),
      '13.2.2': met(
        'Least privilege between services',
        '`api`, `worker` and `migrate` have roles of PostgreSQL of their own, with the privileges that their code needs. ClickHouse and Temporal have one user.',
        test('server/src/database/grants.integration.test.ts', 'PostgreSQL denies what %s must not do'),
      ),
      '13.2.3': met(
        'No default credentials',
        'The compose file creates random ones; without them, nothing starts.',
        test('server/src/main/use-cases/compose-setup.test.ts', 'an empty secret is an error'),
        test('server/src/platform/config.test.ts', 'needs only the services and secrets to start on loopback'),
      ),
      '13.2.4': metIf(
        allowingProxy,
        'List of allowed destinations',
        'Internal destinations are listed for one use each. Projects choose their code hosts and webhooks on the internet, so only a proxy of the operator can list those.',
        test(egressTest, 'are reachable only for their use, and only on their port'),
        test(egressTest, 'goes through the proxy by IP address, with the name in the TLS handshake'),
        proof('ssrf-protection'),
      ),
      '13.2.5': metIf(
        allowingProxy,
        'List of allowed destinations of the server',
        'The same lists: all requests to destinations that people enter go through them.',
        test(egressTest, 'are reachable only for their use, and only on their port'),
        proof('ssrf-protection'),
      ),
      '13.3.1': open(
        'Secret store',
        'Secrets are read from files, which a secret store can write. No store is built in, and the one of the compose file is a volume.',
      ),
      '13.3.2': met(
        'Access to secrets',
        'Each process gets only its own secrets. `api` cannot open a credential, and a runner has only its token.',
        test('server/src/main/use-cases/compose-setup.test.ts', 'each service gets only the secrets that it needs'),
        proof('sandbox-escapes'),
      ),
      '13.4.1': met(
        'No source control data',
        'The image contains no `.git`.',
        code('.dockerignore', 'no secrets, no history'),
      ),
      '13.4.2': met(
        'No debug modes',
        'There are none; errors reveal nothing.',
        test(
          `${http}/http-server.test.ts`,
          'turns an unexpected error into one log line and a 500 that reveals nothing',
        ),
      ),
      '13.4.3': met(
        'No directory listings',
        'Files are looked up in a list; the index of the docs is a page.',
        test(`${api}/pages/docs.test.ts`, 'serves README.md as the index, and only there'),
      ),
      '13.4.4': met('No TRACE', 'It is not supported.', test(`${http}/http-server.test.ts`, 'does not support TRACE')),
      '13.4.5': met(
        'Documentation and monitoring',
        'The reference, the docs and the health checks are public on purpose, and contain no addresses and no messages of drivers.',
        test(`${http}/readiness.test.ts`, 'reports the reason of a failure, but no address'),
        document('docs/operations/health-and-logs.md', 'Health checks'),
      ),
    },
  },
  {
    number: 14,
    title: 'Data protection',
    requirements: {
      '14.1.1': met('Data is classified', 'In five levels.', document(rules, 'Data')),
      '14.1.2': met('Protection of each level', 'Encryption, logs, retention and access.', document(rules, 'Data')),
      '14.2.1': met(
        'No secrets in URLs',
        'Keys are headers; tokens of links are in the fragment, which is not sent.',
        test('web/src/people/link-token.test.ts', 'reads from %o the token %o'),
        code('server/src/people/link-token.ts', 'for the fragment of a link, which browsers do not send to servers'),
      ),
      '14.2.2': met(
        'No caching by servers',
        '`no-store`; Colophon has no cache outside of its databases.',
        test(
          `${api}/authorize.integration.test.ts`,
          'responses for one caller are not cached, and an unchanged job is still a 304',
        ),
      ),
      '14.2.3': met(
        'No data to third parties',
        'No page loads anything from another origin. Models get what a job needs, and only fields of an allow list.',
        test(
          `${api}/pages/docs.test.ts`,
          'renders every page of this checkout with working links and without resources from other origins',
        ),
        test(
          'server/src/gateway/model/provider-adapters.test.ts',
          'does not let the sender choose the model or exceed the output limit',
        ),
        code(`${api}/pages/page-headers.ts`, "connect-src 'self'"),
      ),
      '14.2.4': met(
        'Protection is implemented',
        'Sealing, redaction, retention and access, as documented.',
        test('server/src/platform/log.test.ts', 'redacts secrets anywhere in a line'),
        test(
          `${api}/projects/settings.integration.test.ts`,
          'deletes ended jobs after the retention period of their project',
        ),
        test(
          'server/src/analytics/load/view-retention.integration.test.ts',
          'deletes views beyond the retention of a project from every table',
        ),
      ),
      '14.3.1': met(
        'Data is cleared after sign-out',
        'The dashboard removes all data that it has loaded.',
        code('web/src/app/person-menu.tsx', 'Remove all data of this person'),
      ),
      '14.3.2': met(
        'No caching by browsers',
        '`Cache-Control: no-store`.',
        test(
          `${api}/authorize.integration.test.ts`,
          'responses for one caller are not cached, and an unchanged job is still a 304',
        ),
      ),
      '14.3.3': met(
        'Browser storage',
        'Only the appearance, and which GitHub connection is in progress, until the tab is closed.',
        code('web/src/github/pending-authorization.ts', 'sessionStorage'),
        test(`${api}/analytics/tracking-script.test.ts`, 'stores nothing in the browser'),
      ),
    },
  },
  {
    number: 15,
    title: 'Secure coding and architecture',
    requirements: {
      '15.1.1': met(
        'Times to update dependencies',
        'By severity, from the day on which a fixed version exists.',
        document('SECURITY.md', 'Report a vulnerability'),
      ),
      '15.1.2': met(
        'Inventory of components',
        'Every dependency has a line with its reason; a release has an SBOM. Packages come from npm with hashes.',
        test('checks/docs.test.ts', 'every dependency is documented, and every documented dependency exists'),
        test('release/sbom.test.ts', 'the SBOM lists no package that is only for tests'),
        test('checks/lockfile.test.ts', 'only binaries of other platforms may lack a hash'),
      ),
      '15.1.3': met(
        'Costly functions are documented',
        'With what bounds each of them.',
        document(rules, 'Costly operations'),
      ),
      '15.2.1': met(
        'Components within these times',
        'Renovate proposes updates, and a weekly workflow looks for vulnerabilities that npm and OSV know.',
        code('.github/workflows/known-vulnerabilities.yml', 'osv-scanner-action'),
      ),
      '15.2.2': met(
        'Costly functions are bounded',
        'Queues, deadlines, budgets and fair shares.',
        test(
          'server/src/analytics/query/clickhouse-query-limit.test.ts',
          'leaves slots for other projects while one has slow queries',
        ),
        proof('spend-is-bounded'),
        proof('hostile-ingest'),
      ),
      '15.2.3': met(
        'Only what production needs',
        'The images contain no tests, no simulators and no development packages.',
        code('deploy/select-packages.mjs', 'removes every installed package that this image does not need'),
        proof('containers'),
      ),
      '15.3.1': met(
        'Only needed fields',
        'Responses are validated against their description in tests, and composed field by field.',
        proof('malformed-requests'),
        proof('api-contract'),
      ),
      '15.3.2': met(
        'No redirects',
        'They are returned, never followed.',
        proof('ssrf-protection'),
        test('sdk/src/client.test.ts', 'does not follow a redirect and names its target in the error'),
      ),
      '15.3.3': met(
        'Mass assignment',
        'Unknown and read-only fields are rejected.',
        test(`${api}/projects/project.integration.test.ts`, 'names a field that cannot be changed'),
        proof('malformed-requests'),
      ),
      '15.3.4': met(
        'Address of clients',
        'From trusted proxies only; used for rate limits, networks of keys and logs.',
        proof('access-control'),
        test(`${http}/http-server.test.ts`, 'does not report a trusted proxy'),
        test(
          `${people}/sessions.integration.test.ts`,
          'a person sees their sessions with device, coarse network and last use',
        ),
      ),
      '15.3.5': met(
        'Types',
        'Strict TypeScript and validated input; nothing is coerced.',
        code('tsconfig.json', '"strict"'),
        test(`${http}/validation.test.ts`, 'passes a valid body on unchanged'),
      ),
      '15.3.6': met(
        'Prototype pollution',
        '`__proto__` is rejected; lookups by text from outside use maps.',
        test(`${http}/json-body.test.ts`, 'a field named __proto__'),
      ),
      '15.3.7': met(
        'Repeated parameters',
        'Each source has its own schema; a repeated query parameter is rejected.',
        proof('malformed-requests'),
        test(`${http}/validation.test.ts`, 'reports an error at %s for %o'),
      ),
    },
  },
  {
    number: 16,
    title: 'Logging and error handling',
    requirements: {
      '16.1.1': met('Inventory of logs', 'In the security rules.', document(rules, 'Logs')),
      '16.2.1': met(
        'When, where, who, what',
        'Every line has the time, the process and the request; lines of callers have the key or person and the address.',
        test(
          `${api}/add-routes.integration.test.ts`,
          'has the key and the address of a caller, also of one that is denied, but nothing about a reader',
        ),
        test(`${http}/http-server.test.ts`, 'sends the request id that is in the log with every response'),
      ),
      '16.2.2': met(
        'Time in UTC',
        'ISO 8601 in UTC. The operator keeps clocks synchronized.',
        code('server/src/platform/log.ts', 'isoTime'),
        document(rules, 'Logs'),
      ),
      '16.2.3': met(
        'Only documented logs',
        'stdout, PostgreSQL and the audit webhook.',
        code('server/src/platform/log.ts', 'pino('),
        document(rules, 'Logs'),
      ),
      '16.2.4': met(
        'Readable by log processors',
        'JSON lines.',
        test('server/src/platform/log.test.ts', 'leaves a line without secrets unchanged, and keeps it valid JSON'),
        test(`${api}/audit/instance-audit.integration.test.ts`, 'all entries can be read as lines of JSON'),
      ),
      '16.2.5': met(
        'Sensitive data in logs',
        'Secrets are redacted; bodies and headers are not logged.',
        test('server/src/platform/log.test.ts', 'redacts secrets anywhere in a line'),
      ),
      '16.3.1': met(
        'Sign-ins are logged',
        'Successful and failed ones, with the method, in the audit log of the instance.',
        test(`${api}/audit/instance-audit.integration.test.ts`, 'has who signed in, who failed to, and from where'),
        test(
          `${api}/audit/instance-audit.integration.test.ts`,
          'has ended sessions of other browsers, and new recovery codes',
        ),
      ),
      '16.3.2': met(
        'Denied requests are logged',
        'In the audit log, and each in the process log.',
        test(
          `${api}/audit/instance-audit.integration.test.ts`,
          'a key and a person who are denied something leave one entry in their project',
        ),
      ),
      '16.3.3': met(
        'Security events are logged',
        'Audit logs for changes; rejected input and rate limits are lines with their status.',
        test(`${api}/audit/instance-audit.integration.test.ts`, 'has password changes and links'),
        test(`${http}/http-server.test.ts`, 'sends the request id that is in the log with every response'),
        proof('access-control'),
      ),
      '16.3.4': met(
        'Errors are logged',
        'Unexpected errors with their stack, and services that cannot be reached, also because of TLS.',
        test(
          `${http}/http-server.test.ts`,
          'turns an unexpected error into one log line and a 500 that reveals nothing',
        ),
        test('server/src/platform/background-task.test.ts', 'repeats, logs a failed round once, and goes on'),
      ),
      '16.4.1': met(
        'Log injection',
        'Lines are JSON.',
        test('server/src/platform/log.test.ts', 'leaves a line without secrets unchanged, and keeps it valid JSON'),
      ),
      '16.4.2': met(
        'Logs are protected',
        'A trigger rejects changes of audit entries; reading them needs a role.',
        test(
          'server/src/audit/audit-store.integration.test.ts',
          'deletes entries past the retention, but none that are younger than 90 days',
        ),
        test(`${people}/accounts.integration.test.ts`, 'is the only exception to the insert-only audit log'),
        test(
          `${api}/audit/audit-routes.integration.test.ts`,
          'rejects callers without access, and keeps the entries of projects apart',
        ),
      ),
      '16.4.3': metIf(
        '`COLOPHON_AUDIT_WEBHOOK_URL`, and a collector for the process logs',
        'Logs on another system',
        '`worker` sends audit entries within seconds, signed; process logs go to stdout.',
        test(
          'server/src/activities/audit-exporter.integration.test.ts',
          'sends each new entry of all logs once, signed, although the receiver fails at first',
        ),
      ),
      '16.5.1': met(
        'Generic errors',
        'A code from a closed list, or a 500 that reveals nothing.',
        test(
          `${http}/http-server.test.ts`,
          'turns an unexpected error into one log line and a 500 that reveals nothing',
        ),
        proof('malformed-requests'),
      ),
      '16.5.2': met(
        'Failing services',
        'Each has a timeout and a defined effect.',
        proof('start-and-recovery'),
        proof('github-faults'),
        document('docs/decisions/readiness.md', 'Readiness has three levels, and the check writes'),
      ),
      '16.5.3': met(
        'Fail closed',
        'An error in a check rejects the request or the result.',
        test('server/src/content-gate/run-inspection.test.ts', 'refuses what takes too long'),
        test(`${http}/register-route.test.ts`, 'a route that does not declare its access cannot be registered'),
        test(
          'server/src/main/processes/runner.integration.test.ts',
          'does not start without a working sandbox, and says what to do',
        ),
      ),
    },
  },
  {
    number: 17,
    title: 'WebRTC',
    requirements: {
      '17.1.1': notApplicable('TURN: addresses', noWebRtc),
      '17.2.1': notApplicable('DTLS: keys', noWebRtc),
      '17.2.2': notApplicable('DTLS: cipher suites', noWebRtc),
      '17.2.3': notApplicable('SRTP: authentication', noWebRtc),
      '17.2.4': notApplicable('SRTP: malformed packets', noWebRtc),
      '17.3.1': notApplicable('Signaling: floods', noWebRtc),
      '17.3.2': notApplicable('Signaling: malformed messages', noWebRtc),
    },
  },
]
