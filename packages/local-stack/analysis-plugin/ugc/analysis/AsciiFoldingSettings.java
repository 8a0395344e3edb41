package ugc.analysis;

import org.elasticsearch.plugin.settings.AnalysisSettings;
import org.elasticsearch.plugin.settings.StringSetting;

@AnalysisSettings
public interface AsciiFoldingSettings {

    /** A string, because a BooleanSetting silently takes every misspelled value for false. */
    @StringSetting(path = "preserve_original", defaultValue = "false")
    String preserveOriginal();
}
