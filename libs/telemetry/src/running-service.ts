/** One dependency of a service, as `/readyz` shows it. */
export interface ReadyCheck {
  /** Which part: `database`, `rpc`, `placement`. */
  readonly part: string;
  readonly ok: boolean;
  readonly why?: string;
}

/** A started app, as the composition root (and a test cloud) holds it. */
export interface RunningService {
  readonly name: string;
  /** Base URL, for apps that listen; the real port even where port 0 was asked for. */
  readonly url?: string;
  ready(): Promise<ReadyCheck[]>;
  /** Stops taking work, waits for what is under way, closes. */
  close(): Promise<void>;
}
