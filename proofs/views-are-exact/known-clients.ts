/**
 * Clients with their expected class, written by hand from what their vendors publish: the reference model has no rules that
 * classify them.
 */
export const clientClasses = ['human', 'assistant', 'ai-search', 'ai-training', 'search', 'other-bot'] as const
export type ClientClass = (typeof clientClasses)[number]

export interface CountedClient {
  class: ClientClass
  name: string
}

export interface KnownClient {
  userAgent: string
  /** For an ordinary page request. */
  byDefault: CountedClient
  /** With Markdown in `Accept`. */
  acceptingMarkdown: CountedClient
  /** For `.md` or llms.txt, without Markdown in `Accept`. */
  onModelPages: CountedClient
}

const always = (clientClass: ClientClass, name: string, userAgent: string): KnownClient => {
  const client = { class: clientClass, name }
  return { userAgent, byDefault: client, acceptingMarkdown: client, onModelPages: client }
}

const browser = (userAgent: string): KnownClient => {
  const human = { class: 'human', name: 'browser' } as const
  return { userAgent, byDefault: human, onModelPages: human, acceptingMarkdown: assistant('unknown') }
}

/** An HTTP library, or an unknown client. */
const program = (name: string, userAgent: string): KnownClient => ({
  userAgent,
  byDefault: { class: 'other-bot', name },
  acceptingMarkdown: assistant(name),
  onModelPages: assistant(name),
})

const assistant = (name: string): CountedClient => ({ class: 'assistant', name })

const chrome = (rest: string) =>
  browser(`Mozilla/5.0 (${rest}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36`)
const likeGecko = (name: string) => `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name})`

export const browsers: readonly KnownClient[] = [
  chrome('Windows NT 10.0; Win64; x64'),
  chrome('Macintosh; Intel Mac OS X 10_15_7'),
  chrome('X11; Linux x86_64'),
  chrome('Linux; Android 15; Pixel 9'),
  browser('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0'),
  browser(
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  ),
  browser(
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  ),
  browser('Lynx/2.9.2 libwww-FM/2.14 SSL-MM/1.4.1'),
]

export const otherKnownClients: readonly KnownClient[] = [
  always('assistant', 'Claude Code', 'Claude-User (claude-code/2.1.158; +https://support.anthropic.com/)'),
  always('assistant', 'Claude-User', likeGecko('Claude-User/1.0; +Claude-User@anthropic.com')),
  always(
    'assistant',
    'ChatGPT-User',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0',
  ),
  always('assistant', 'Perplexity-User', likeGecko('Perplexity-User/1.0; +https://perplexity.ai/perplexity-user')),
  always('assistant', 'MistralAI-User', likeGecko('MistralAI-User/1.0; +https://docs.mistral.ai/robots')),
  always('assistant', 'GitHub Copilot', 'GitHubCopilotChat/0.35.0'),
  always('assistant', 'DuckAssistBot', 'DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)'),
  always('ai-search', 'OAI-SearchBot', likeGecko('OAI-SearchBot/1.4; +https://openai.com/searchbot')),
  always('ai-search', 'Claude-SearchBot', likeGecko('Claude-SearchBot/1.0; +https://www.anthropic.com')),
  always('ai-search', 'PerplexityBot', likeGecko('PerplexityBot/1.0; +https://perplexity.ai/perplexitybot')),
  always('ai-search', 'Cloudflare AutoRAG', 'Cloudflare-AutoRAG (https://developers.cloudflare.com/autorag)'),
  always('ai-training', 'GPTBot', likeGecko('GPTBot/1.4; +https://openai.com/gptbot')),
  always('ai-training', 'ClaudeBot', likeGecko('ClaudeBot/1.0; +claudebot@anthropic.com')),
  always('ai-training', 'CCBot', 'CCBot/2.0 (https://commoncrawl.org/faq/)'),
  always('ai-training', 'Bytespider', 'Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)'),
  always('search', 'Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'),
  always('search', 'Bingbot', 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'),
  always('search', 'DuckDuckBot', 'DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)'),
  always('other-bot', 'AhrefsBot', 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)'),
  always('other-bot', 'UptimeRobot', 'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)'),
  always('other-bot', 'HeadlessChrome', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0.0.0'),
  program('curl', 'curl/8.7.1'),
  program('python-requests', 'python-requests/2.31.0'),
  program('axios', 'axios/1.13.6'),
  program('node-fetch', 'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)'),
  program('unknown', ''),
  program('unknown', 'docs-reader 3'),
  program('unknown', 'a "quoted" client\\with a backslash'),
  program('unknown', 'клиент 読者 🎉'),
]
