// Runs before the first paint, so that neither colours nor words change after it.
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    const language = localStorage.getItem('language');
    if (language && language !== root.lang) root.classList.add('translating');
  } catch {
    // Storage may be forbidden; the defaults stay.
  }
})();
