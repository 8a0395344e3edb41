type MeterProps = { label: string; text: string; used: number; limit: number; isHigh?: boolean };

/** A bar with its label and its value in words. */
export function Meter({ label, text, used, limit, isHigh = false }: MeterProps) {
  const percent = limit === 0 ? 100 : Math.min(100, (100 * used) / limit);
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span class="meter-text">{text}</span>
      <svg class={isHigh ? 'meter-bar meter-high' : 'meter-bar'} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="meter-track" width="100" height="4" />
        <rect class="meter-used" width={percent} height="4" />
      </svg>
    </div>
  );
}
